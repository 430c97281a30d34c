"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../_ui/icon-button.tsx";
import { strings as ui } from "../_ui/strings.en.ts";

const SHOWN_MS = 2_000;

/** Puts a text into the clipboard and says so for a moment; what can't be copied stays there to be selected. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setIsCopied(true),
      () => setIsCopied(false),
    );
  const Icon = isCopied ? Check : Copy;
  return (
    <>
      <IconButton label={label} {...(className && { className })} onClick={() => void copy()}>
        <Icon aria-hidden size={16} />
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? ui.copied : ""}
      </span>
    </>
  );
}
