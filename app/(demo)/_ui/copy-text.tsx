"use client";

import { clsx } from "clsx";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./icon-button.tsx";

/**
 * A text that people carry elsewhere, in full or as much of it as fits, with the button that copies it; `label` names the
 * button, `copied` is said then.
 */
export function CopyText({
  text,
  label,
  copied,
  isShort = false,
}: {
  text: string;
  label: string;
  copied: string;
  isShort?: boolean;
}) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => undefined,
    );
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className={clsx("min-w-0 font-mono text-xs", isShort ? "truncate" : "break-all")}>{text}</span>
      <IconButton label={isCopied ? copied : label} onClick={copy}>
        {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? copied : ""}
      </span>
    </span>
  );
}
