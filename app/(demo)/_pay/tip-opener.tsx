"use client";

import { Slot } from "radix-ui";
import { type ReactNode, useState } from "react";
import { loadPart } from "../_ui/loading.tsx";

const TipDialog = loadPart(() => import("./tip-dialog.tsx").then((module) => module.TipDialog));

/** Creates a button of `children` that opens the window in which somebody is tipped, for the message of `postUrl` or as a person. */
export function TipOpener({
  toUsername,
  postUrl,
  onOpenChange,
  children,
}: {
  toUsername: string;
  postUrl: string;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const change = (isNow: boolean) => {
    setIsOpen(isNow);
    onOpenChange?.(isNow);
  };
  return (
    <>
      <Slot.Root onClick={() => change(true)}>{children}</Slot.Root>
      {isOpen && <TipDialog toUsername={toUsername} postUrl={postUrl} onClose={() => change(false)} />}
    </>
  );
}
