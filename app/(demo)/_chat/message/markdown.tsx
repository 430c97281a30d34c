"use client";

import { clsx } from "clsx";
import {
  type ComponentType,
  type CSSProperties,
  createElement,
  Fragment,
  type ReactNode,
  useMemo,
} from "react";
import { strings as media } from "../media/strings.en.ts";
import { strings } from "../strings.en.ts";
import { CodeBlock } from "./code-block.tsx";
import type { Node } from "./formatted-node.ts";
import { hostOf, MarkdownLink, MarkdownPicture } from "./markdown-link.tsx";
import { LONGEST_FIGURE, markIn, textOf, treeOf } from "./markdown-tree.ts";
import { ChannelLink, Mention } from "./plain-text.tsx";

/** Also shown with messages, and loaded in one piece with their text: each of its own would bring what they share. */
export { Files, MessageAttachments } from "../media/attachments.tsx";
export { LinkPreviews } from "../media/link-previews.tsx";

/** What a block of code holds, and the language that its author named, or an empty string. */
function codeIn(pre: Node | undefined) {
  const code = pre?.children?.[0];
  const names = code?.properties?.className;
  const name = Array.isArray(names) ? names.find((each) => String(each).startsWith("language-")) : undefined;
  return {
    code: textOf(code).replace(/\n$/, ""),
    language: name ? String(name).slice("language-".length) : "",
  };
}

/** A picture has a press of its own, which a link around it would take away. */
const holdsPicture = (node: Node | undefined): boolean =>
  node?.tagName === "img" || (node?.children ?? []).some(holdsPicture);

const FIGURE = "whitespace-nowrap tabular-nums";

/** A number with its sign and unit, which no line break may take apart. */
const isFigure = (cell: Node | undefined) => {
  const text = textOf(cell);
  return text.length <= LONGEST_FIGURE && /\d/.test(text);
};

/** A message is no page: its headings are bold lines. */
function Heading({ children }: { children?: React.ReactNode }) {
  return <p className="mt-1 font-semibold">{children}</p>;
}

type PartProps = {
  node: Node;
  children?: ReactNode;
  className: string | undefined;
  style: CSSProperties | undefined;
  href?: string;
  src?: string;
  alt?: string;
  id?: string;
  start?: number;
  checked?: boolean;
};

/** How elements are shown that are not shown as they are. */
type Parts = Readonly<Record<string, ComponentType<PartProps>>>;

const components: Parts = {
  a: ({ node, href, children }) =>
    // The way back from a footnote, which stands right under its message.
    node.properties?.dataFootnoteBackref !== undefined ? null : holdsPicture(node) ? (
      <>
        {children}
        <span>
          <MarkdownLink href={href}>{hostOf(href)}</MarkdownLink>
        </span>
      </>
    ) : (
      <MarkdownLink href={href}>{children}</MarkdownLink>
    ),
  img: ({ src, alt }) => <MarkdownPicture address={String(src ?? "")} name={alt ?? ""} />,
  h1: Heading,
  h2: ({ id, children }) =>
    id?.endsWith("footnote-label") ? <hr className="my-2 border-line" /> : <Heading>{children}</Heading>,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => <p className="not-first:mt-2">{children}</p>,
  ul: ({ children }) => (
    <ul className="my-1 list-disc ps-6 [&>li:has(>input)]:list-none [&>li>input]:-ms-5">{children}</ul>
  ),
  ol: ({ children, start }) => (
    <ol start={start} className="my-1 list-decimal ps-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="my-1 border-s-4 border-line-strong ps-3 text-ink-soft">{children}</blockquote>
  ),
  pre: ({ node }) => <CodeBlock {...codeIn(node)} />,
  code: ({ children }) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-sm leading-none">{children}</code>
  ),
  table: ({ children }) => (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by keyboard
      tabIndex={0}
      aria-label={strings.message.table}
      className="my-1.5 max-w-full overflow-x-auto [overflow-wrap:normal] focus-visible:outline-offset-[-2px]"
    >
      <table className="w-max border-collapse text-sm [&_td]:border [&_td]:border-line [&_td]:px-2.5 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:bg-sunken [&_th]:text-start [&_th]:px-2.5 [&_th]:py-1">
        {children}
      </table>
    </section>
  ),
  td: ({ node, style, children }) => (
    <td style={style} className={clsx("max-w-80", isFigure(node) && FIGURE)}>
      {children}
    </td>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked}
      disabled
      aria-label={strings.message.task[checked ? "done" : "open"]}
    />
  ),
  hr: () => <hr className="my-2 border-line" />,
  // Its name is what a link would lead to, in each message the same.
  li: ({ children, className }) => <li className={className}>{children}</li>,
};

/** What of a text has its looks also in one line; of everything else the words are left. */
const ofLine = new Set(["a", "code", "del", "em", "img", "span", "strong"]);

type TextProps = { text: string; myName: string };

function useComponents(myName: string): Parts {
  return useMemo(
    () => ({
      ...components,
      span: ({ className, children }) =>
        className === "figure" ? (
          <span className={FIGURE}>{children}</span>
        ) : className === "channel" ? (
          <ChannelLink text={String(children)} />
        ) : (
          <Mention text={String(children)} myName={myName} />
        ),
    }),
    [myName],
  );
}

/** These hold nothing but other elements. */
const TABLE = new Set(["table", "thead", "tbody", "tr"]);

/** Shows a tree; of elements beside the `allowed` ones the content alone. */
function show(node: Node, parts: Parts, allowed?: ReadonlySet<string>, key?: number): ReactNode {
  if (node.type === "text") return node.value;
  const { tagName = "", properties: { className, align, ...properties } = {} } = node;
  const isShown = tagName !== "" && allowed?.has(tagName) !== false;
  const isTable = isShown && TABLE.has(tagName);
  const inner = isTable ? node.children?.filter(({ type }) => type !== "text") : node.children;
  const shown = inner?.map((child, index) => show(child, parts, allowed, index)) ?? [];
  const children = shown.length > 1 ? shown : shown[0];
  if (!isShown) return <Fragment key={key}>{children}</Fragment>;
  const style = typeof align === "string" ? ({ textAlign: align } as CSSProperties) : undefined;
  const Part = Object.hasOwn(parts, tagName) ? parts[tagName] : undefined;
  if (!Part) return createElement(tagName, { key, style }, children);
  const names = Array.isArray(className) ? className.join(" ") : undefined;
  return (
    <Part key={key} {...properties} node={node} className={names} style={style}>
      {children}
    </Part>
  );
}

/** Formatted text. No HTML of the author's is ever used as such. */
export function Markdown({ text, myName }: TextProps) {
  const tree = useMemo(() => treeOf(text), [text]);
  return show(tree, useComponents(myName));
}

/** A picture does not fit into a line, so its description is shown. */
const linked: Parts = {
  a: ({ href, children }) => <MarkdownLink href={href}>{children}</MarkdownLink>,
  img: ({ alt }) => alt || media.picture.label(""),
};

/** Nothing else in a line is seen without words. */
const seenInLine: ReadonlySet<string> = new Set(["img"]);

/** The same text in one line. */
export function MarkdownLine({ text, myName }: TextProps) {
  const tree = useMemo(() => treeOf(text, seenInLine), [text]);
  return <span>{show(tree, { ...useComponents(myName), ...linked }, ofLine)}</span>;
}

const ofExcerpt = new Set([...ofLine, "mark"]);
const seenInExcerpt: ReadonlySet<string> = new Set();

/** The same inside a link to the message, with what `pattern` finds marked; of links and pictures the words are left. */
export function MarkdownExcerpt({ text, myName, pattern }: TextProps & { pattern: RegExp | null }) {
  const all = useComponents(myName);
  const plain: Parts = useMemo(
    () => ({
      ...all,
      a: ({ children }) => <span className="underline">{children}</span>,
      // A link in a link is none.
      span: ({ className, children }) =>
        className !== "mention" ? children : <Mention text={String(children)} myName={myName} />,
      img: ({ alt }) => alt,
    }),
    [all, myName],
  );
  const tree = useMemo(() => {
    const found = treeOf(text, seenInExcerpt);
    if (pattern) markIn(found, pattern);
    return found;
  }, [text, pattern]);
  return <span>{show(tree, plain, ofExcerpt)}</span>;
}
