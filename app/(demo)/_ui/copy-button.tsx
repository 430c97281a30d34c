"use client";

import { clsx } from "clsx";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button.tsx";
import { strings } from "./strings.en.ts";

const SHOWN_MS = 2_000;

type CopyButtonProps = { text: string; label: string; copied?: string; className?: string };

/** Copies a text to the clipboard, and says so for a moment. If that fails, the text stays selectable. */
export function CopyButton({ text, label, copied = strings.copied, className }: CopyButtonProps) {
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
        {isCopied ? copied : ""}
      </span>
    </>
  );
}

/** A text that people use elsewhere, in full or as much as fits, with a copy button. */
export function CopyText({ isShort = false, ...button }: CopyButtonProps & { isShort?: boolean }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className={clsx("min-w-0 font-mono text-xs", isShort ? "truncate" : "break-all")}>
        {button.text}
      </span>
      <CopyButton {...button} />
    </span>
  );
}
