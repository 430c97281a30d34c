"use client";

import { Bold, Code, Italic, Link2, List, ListOrdered, Quote, SquareCode, Strikethrough } from "lucide-react";
import { IconButton } from "../../_ui/icon-button.tsx";
import { strings } from "../strings.en.ts";

const around = [
  { name: "bold", Icon: Bold, mark: "**" },
  { name: "italic", Icon: Italic, mark: "_" },
  { name: "strike", Icon: Strikethrough, mark: "~~" },
  { name: "code", Icon: Code, mark: "`" },
] as const;

const before = [
  { name: "quote", Icon: Quote, prefix: () => "> " },
  { name: "list", Icon: List, prefix: () => "- " },
  { name: "numbers", Icon: ListOrdered, prefix: (line: number) => `${line + 1}. ` },
] as const;

type FormattingBarProps = {
  field: () => HTMLTextAreaElement | null;
  onMark: (mark: string) => void;
  /** Puts a text in place of what stands from `start` to `end`. */
  onReplace: (start: number, end: number, text: string) => void;
};

/** The marks of formatted text as buttons, for what is selected in the field or written next. */
export function FormattingBar({ field, onMark, onReplace }: FormattingBarProps) {
  const change = (make: (selected: string) => string, isOfLines: boolean) => {
    const input = field();
    if (!input) return;
    const { value, selectionStart, selectionEnd } = input;
    const start = isOfLines ? value.lastIndexOf("\n", selectionStart - 1) + 1 : selectionStart;
    onReplace(start, selectionEnd, make(value.slice(start, selectionEnd)));
  };
  const prefixed = (prefix: (line: number) => string) => (selected: string) =>
    selected
      .split("\n")
      .map((line, index) => `${prefix(index)}${line}`)
      .join("\n");
  return (
    <div
      role="toolbar"
      aria-label={strings.composer.formatting}
      className="flex flex-wrap gap-0.5 border-b border-line px-1 pb-1"
    >
      {around.map(({ name, Icon, mark }) => (
        <IconButton
          key={name}
          size="small"
          label={strings.composer.format[name]}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onMark(mark)}
        >
          <Icon aria-hidden size={16} />
        </IconButton>
      ))}
      {before.map(({ name, Icon, prefix }) => (
        <IconButton
          key={name}
          size="small"
          label={strings.composer.format[name]}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => change(prefixed(prefix), true)}
        >
          <Icon aria-hidden size={16} />
        </IconButton>
      ))}
      <IconButton
        size="small"
        label={strings.composer.format.block}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => change((selected) => `\`\`\`\n${selected}\n\`\`\``, true)}
      >
        <SquareCode aria-hidden size={16} />
      </IconButton>
      <IconButton
        size="small"
        label={strings.composer.format.link}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => change((selected) => `[${selected}](https://)`, false)}
      >
        <Link2 aria-hidden size={16} />
      </IconButton>
    </div>
  );
}
