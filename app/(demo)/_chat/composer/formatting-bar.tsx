"use client";

import {
  Bold,
  Code,
  Italic,
  Link2,
  List,
  ListOrdered,
  type LucideIcon,
  Quote,
  SquareCode,
  Strikethrough,
} from "lucide-react";
import { Toolbar } from "radix-ui";
import { IconButton } from "../../_ui/icon-button.tsx";
import { strings } from "../strings.en.ts";

const around = [
  { name: "bold", Icon: Bold, mark: "**" },
  { name: "italic", Icon: Italic, mark: "_" },
  { name: "strike", Icon: Strikethrough, mark: "~~" },
  { name: "code", Icon: Code, mark: "`" },
] as const;

/** Both kinds of list markers; a line has at most one. */
const LISTED = /^( *)(?:(?:[-*+]|\d+[.)]) +)?/;

/**
 * Markers at the beginning of a line. `own` matches the marker; `place` matches the place of a new marker,
 * with the text that it replaces.
 */
const before = [
  { name: "quote", Icon: Quote, mark: () => "> ", own: /^( *)> ?/, place: /^( *)(?:> ?)?/ },
  { name: "list", Icon: List, mark: () => "- ", own: /^( *)[-*+] +/, place: LISTED },
  {
    name: "numbers",
    Icon: ListOrdered,
    mark: (line: number) => `${line + 1}. `,
    own: /^( *)\d+[.)] +/,
    place: LISTED,
  },
] as const;

/** Puts a marker at the beginning of every line, or removes it if all lines have it. */
const toggleLines = (lines: readonly string[], { mark, own, place }: (typeof before)[number]): string[] =>
  lines.every((line) => own.test(line))
    ? lines.map((line) => line.replace(own, "$1"))
    : lines.map((line, index) => line.replace(place, `$1${mark(index)}`));

const FENCE = "```";
const FENCED = /^```[^\n]*\n(?:([\s\S]*?)\n)?```$/gm;
const ADDRESS = "https://";

/**
 * On a touch screen the bar scrolls sideways if its buttons, as wide as a finger, do not fit. The last visible one is
 * then cut in half, which shows that there are more.
 */
const SCROLLED =
  "pointer-coarse:overflow-x-auto pointer-coarse:overscroll-x-contain [scrollbar-width:none] pointer-coarse:[&>button]:shrink-0 pointer-coarse:[&>button]:-outline-offset-2 pointer-coarse:@max-[396px]:[&>button]:w-[max(--spacing(11),100%/8.5)] pointer-coarse:@max-[374px]:[&>button]:w-[max(--spacing(11),100%/7.5)] pointer-coarse:@max-[330px]:[&>button]:w-[max(--spacing(11),100%/6.5)]";

type FormattingBarProps = {
  field: () => HTMLTextAreaElement | null;
  onMark: (mark: string) => void;
  /**
   * Replaces the field's text from `start` to `end` with `text`, and selects the part of `text` between its
   * offsets `from` and `to`.
   */
  onReplace: (start: number, end: number, text: string, from: number, to: number) => void;
};

/** Formatting buttons that apply to the field's selection or to the text written next. */
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
  /**
   * Changes whole selected lines. Several lines stay selected; in a single line the cursor keeps its distance
   * from the end.
   */
  const changeLines = (by: (typeof before)[number]) => {
    const input = field();
    if (!input) return;
    const { value, selectionStart, selectionEnd } = input;
    const [start, end] = linesAround(input);
    const text = toggleLines(value.slice(start, end).split("\n"), by).join("\n");
    const cursor = Math.max(0, text.length - (end - selectionEnd));
    const areSeveral = value.slice(selectionStart, selectionEnd).includes("\n");
    onReplace(start, end, text, areSeveral ? 0 : cursor, cursor);
  };
  /** Turns the selected lines into a code block, or removes the fences of the block around them. */
  const fence = () => {
    const input = field();
    if (!input) return;
    const { value, selectionStart, selectionEnd } = input;
    const block = [...value.matchAll(FENCED)].find(
      ({ index, 0: { length } }) => index <= selectionStart && selectionEnd <= index + length,
    );
    const [start, end] = block ? [block.index, block.index + block[0].length] : linesAround(input);
    const behind = end - selectionEnd;
    if (block) {
      const [, code = ""] = block;
      const cursor = Math.min(Math.max(0, code.length + FENCE.length + 1 - behind), code.length);
      onReplace(start, end, code, cursor, cursor);
    } else {
      const code = `${FENCE}\n${value.slice(start, end)}`;
      onReplace(start, end, `${code}\n${FENCE}`, code.length - behind, code.length - behind);
    }
  };
  return (
    <Toolbar.Root
      // The arrow keys follow the direction of the text.
      dir={document.dir === "rtl" ? "rtl" : "ltr"}
      aria-label={strings.composer.formatting}
      className={`${SCROLLED} flex gap-0.5 pointer-coarse:gap-0 pointer-coarse:px-0 border-b border-line px-1 pb-1 [&>button]:min-w-6 [&>button]:shrink`}
    >
      {around.map(({ name, Icon, mark }) => (
        <MarkButton key={name} name={name} Icon={Icon} onPress={() => onMark(mark)} />
      ))}
      {before.map((by) => (
        <MarkButton key={by.name} name={by.name} Icon={by.Icon} onPress={() => changeLines(by)} />
      ))}
      <MarkButton name="block" Icon={SquareCode} onPress={fence} />
      <MarkButton name="link" Icon={Link2} onPress={link} />
    </Toolbar.Root>
  );
}

/** Returns the beginning and end of the selected lines. */
function linesAround({
  value,
  selectionStart,
  selectionEnd,
}: HTMLTextAreaElement): [start: number, end: number] {
  const start = value.slice(0, selectionStart).lastIndexOf("\n") + 1;
  return [start, selectionEnd + value.slice(selectionEnd).search(/\n|$/)];
}

type MarkButtonProps = { name: keyof typeof strings.composer.format; Icon: LucideIcon; onPress: () => void };

/** A button of the bar; pressing it by mouse leaves the cursor in the field. */
const MarkButton = ({ name, Icon, onPress }: MarkButtonProps) => (
  <Toolbar.Button asChild onMouseDown={(event) => event.preventDefault()} onClick={onPress}>
    <IconButton size="small" label={strings.composer.format[name]}>
      <Icon aria-hidden size={16} />
    </IconButton>
  </Toolbar.Button>
);
