"use client";

import { type ComponentProps, cloneElement, type ReactElement, useState } from "react";
import { loadClosable } from "../_ui/load-closable.tsx";

const TipDialog = loadClosable(() => import("./tip-dialog.tsx").then((module) => module.TipDialog));

/** Opens the tip dialog from `children`, a single button, for the message at `postUrl` or for a person. */
export function TipOpener({
  toUsername,
  postUrl,
  onOpenChange,
  children,
}: {
  toUsername: string;
  postUrl: string;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactElement<ComponentProps<"button">>;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const change = (isNow: boolean) => {
    setIsOpen(isNow);
    onOpenChange?.(isNow);
  };
  return (
    <>
      {cloneElement(children, { onClick: () => change(true) })}
      {isOpen && <TipDialog toUsername={toUsername} postUrl={postUrl} onClose={() => change(false)} />}
    </>
  );
}
