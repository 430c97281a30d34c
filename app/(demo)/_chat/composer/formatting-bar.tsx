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

const FENCE = "```";
const ADDRESS = "https://";

type FormattingBarProps = {
  field: () => HTMLTextAreaElement | null;
  onMark: (mark: string) => void;
  /** Puts a text in place of what stands from `start` to `end`, and selects of it what `from` and `to` tell. */
  onReplace: (start: number, end: number, text: string, from: number, to: number) => void;
};

/** The marks of formatted text as buttons, for what is selected in the field or written next. */
export function FormattingBar({ field, onMark, onReplace }: FormattingBarProps) {
  const link = () => {
    const input = field();
    if (!input) return;
    const { value, selectionStart: start, selectionEnd: end } = input;
    const words = value.slice(start, end);
    const text = `[${words}](${ADDRESS})`;
    const address = text.length - 1 - ADDRESS.length;
    if (words === "") onReplace(start, end, text, 1, 1);
    else onReplace(start, end, text, address, address + ADDRESS.length);
  };
  /** Changes the whole lines that are selected; the cursor keeps its distance from their end, but for `behind`. */
  const changeLines = (make: (lines: string) => string, behind = 0) => {
    const input = field();
    if (!input) return;
    const { value, selectionStart, selectionEnd } = input;
    const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const end = selectionEnd + value.slice(selectionEnd).search(/\n|$/);
    const text = make(value.slice(start, end));
    const cursor = text.length - behind - (end - selectionEnd);
    onReplace(start, end, text, cursor, cursor);
  };
  const prefixed = (prefix: (line: number) => string) => (lines: string) =>
    lines
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
          onClick={() => changeLines(prefixed(prefix))}
        >
          <Icon aria-hidden size={16} />
        </IconButton>
      ))}
      <IconButton
        size="small"
        label={strings.composer.format.block}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => changeLines((lines) => `${FENCE}\n${lines}\n${FENCE}`, FENCE.length + 1)}
      >
        <SquareCode aria-hidden size={16} />
      </IconButton>
      <IconButton
        size="small"
        label={strings.composer.format.link}
        onMouseDown={(event) => event.preventDefault()}
        onClick={link}
      >
        <Link2 aria-hidden size={16} />
      </IconButton>
    </div>
  );
}
