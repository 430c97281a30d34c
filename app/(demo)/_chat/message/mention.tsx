import { clsx } from "clsx";
import { isOwnMention } from "./mentions.ts";

/** A person's name in a text. The reader's own name stands out more. */
export function Mention({ text, myName }: { text: string; myName: string }) {
  const isOwn = isOwnMention(text, myName);
  const Tag = isOwn ? "mark" : "span";
  return (
    <Tag
      className={clsx(
        "rounded px-0.5 font-medium",
        isOwn ? "bg-accent text-accent-ink" : "bg-selected text-ink",
      )}
    >
      {text}
    </Tag>
  );
}
