"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./icon-button.tsx";

/** A text that people carry elsewhere, in full, with the button that copies it; `label` names the button, `copied` is said then. */
export function CopyText({ text, label, copied }: { text: string; label: string; copied: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => undefined,
    );
  return (
    <span className="flex items-center gap-1">
      <span className="min-w-0 font-mono text-xs break-all">{text}</span>
      <IconButton label={isCopied ? copied : label} onClick={copy}>
        {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? copied : ""}
      </span>
    </span>
  );
}
