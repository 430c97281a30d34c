"use client";

import { clsx } from "clsx";
import { useMemo } from "react";
import type { Components } from "react-markdown";
import ReactMarkdown from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { emojify } from "../emoji/emojify.ts";
import { strings as media } from "../media/strings.en.ts";
import { strings } from "../strings.en.ts";
import { CodeBlock } from "./code-block.tsx";
import { hostOf, MarkdownLink, MarkdownPicture } from "./markdown-link.tsx";
import { ChannelLink, Mention, splitMentions } from "./plain-text.tsx";

const schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    span: [["className", "mention", "channel", "figure"] as [string, ...string[]]],
  },
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: ["http", "https"] },
};
const remarkPlugins = [[remarkGfm, { singleTilde: false }], remarkBreaks, remarkChat] as never[];
const rehypePlugins = [[rehypeSanitize, schema]] as never[];

const textOf = (node: Node | undefined): string =>
  node?.value ?? (node?.children ?? []).map((child) => textOf(child)).join("");

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
const LONGEST_FIGURE = 32;

/** A number with its sign and unit, which no line break may take apart. */
const isFigure = (cell: Node | undefined) => {
  const text = textOf(cell);
  return text.length <= LONGEST_FIGURE && /\d/.test(text);
};

/** A message is no page: its headings are bold lines. */
function Heading({ children }: { children?: React.ReactNode }) {
  return <p className="mt-1 font-semibold">{children}</p>;
}

const components: Components = {
  a: ({ node, href, children }) =>
    // The way back from a footnote, which stands right under its message.
    (node as Node | undefined)?.properties?.dataFootnoteBackref !== undefined ? null : holdsPicture(
        node as Node | undefined,
      ) ? (
      <>
        {children}
        <MarkdownLink href={href}>{hostOf(href)}</MarkdownLink>
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
  pre: ({ node }) => <CodeBlock {...codeIn(node as Node | undefined)} />,
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
    <td style={style} className={clsx("max-w-80", isFigure(node as Node | undefined) && FIGURE)}>
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
const ofLine = ["a", "code", "del", "em", "img", "span", "strong"];

type TextProps = { text: string; myName: string };

function useComponents(myName: string): Components {
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

/** Formatted text. No HTML of the author's is ever used as such. */
export function Markdown({ text, myName }: TextProps) {
  const all = useComponents(myName);
  return (
    <ReactMarkdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={all}>
      {text}
    </ReactMarkdown>
  );
}

/** In a line there is no room for a picture. */
const linked: Components = {
  a: ({ href, children }) => <MarkdownLink href={href}>{children}</MarkdownLink>,
  img: ({ alt }) => alt || media.picture.label(""),
};

/** The same text in one line. */
export function MarkdownLine({ text, myName }: TextProps) {
  const all = { ...useComponents(myName), ...linked };
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={all}
      allowedElements={ofLine}
      unwrapDisallowed
    >
      {text}
    </ReactMarkdown>
  );
}

const excerptElements = [...ofLine, "mark"];

/** The same inside a link to the message, with what `pattern` finds marked; of links and pictures the words are left. */
export function MarkdownExcerpt({ text, myName, pattern }: TextProps & { pattern: RegExp | null }) {
  const all = useComponents(myName);
  const plain: Components = useMemo(
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
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={[...rehypePlugins, [rehypeMark, { pattern }]]}
      components={plain}
      allowedElements={excerptElements}
      unwrapDisallowed
    >
      {text}
    </ReactMarkdown>
  );
}

type Node = {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
};

/** A mention has its own looks, and is read as one word. */
const isMention = ({ properties }: Node) =>
  Array.isArray(properties?.className) && properties.className.includes("mention");

function markIn(node: Node, pattern: RegExp): void {
  if (!node.children || isMention(node)) return;
  node.children = node.children.flatMap((child) => {
    if (child.type !== "text" || child.value === undefined) {
      markIn(child, pattern);
      return [child];
    }
    return child.value.split(pattern).map((value, index): Node => {
      const text = { type: "text", value };
      return index % 2 === 1 ? { type: "element", tagName: "mark", properties: {}, children: [text] } : text;
    });
  });
}

/** Marks in formatted text what a pattern of one group finds; without one it changes nothing. */
export function rehypeMark({ pattern }: { pattern: RegExp | null }) {
  return (tree: unknown) => {
    if (pattern) markIn(tree as Node, pattern);
  };
}

type RemarkChatNode = {
  type: string;
  value?: string;
  children?: RemarkChatNode[];
  data?: Record<string, unknown>;
};

/** Text in these is what it is. */
const LITERAL = new Set(["code", "inlineCode", "link", "linkReference", "image", "html"]);

function partsOf(text: string): RemarkChatNode[] {
  return splitMentions(text).map((part) =>
    part.kind === "text"
      ? { type: "text", value: emojify(part.text) }
      : inSpan(part.kind, { type: "text", value: part.text }),
  );
}

function inSpan(kind: string, child: RemarkChatNode): RemarkChatNode {
  return {
    type: kind,
    data: { hName: "span", hProperties: { className: [kind] } },
    children: [child],
  };
}

/** A number in a longer text: with its sign, what groups its digits, and its unit. */
const NUMBER =
  /((?:[+−±≈<>-] ?)?[$€£¥]?\d(?:\d|[.,:/'’–-](?=\d)|[ \u202f](?=\d)){0,31}(?: ?(?:[%‰]|°[CF]?|[A-Za-zµΩ]{1,4}\b))?)/;

/** The same in a long cell of a table, where no line break may take a number apart. */
function cellPartsOf(text: string): RemarkChatNode[] {
  return partsOf(text).flatMap((part) => {
    if (part.type !== "text" || part.value === undefined) return [part];
    return part.value.split(NUMBER).flatMap((value, index): RemarkChatNode[] => {
      if (value === "") return [];
      const text = { type: "text", value };
      if (index % 2 === 0) return [text];
      return [inSpan("figure", text)];
    });
  });
}

function dress(node: RemarkChatNode, isInCell = false): void {
  if (LITERAL.has(node.type) || !node.children) return;
  const isCell = isInCell || (node.type === "tableCell" && textOf(node).length > LONGEST_FIGURE);
  node.children = node.children.flatMap((child) => {
    if (child.type === "text" && child.value !== undefined)
      return isCell ? cellPartsOf(child.value) : partsOf(child.value);
    dress(child, isCell);
    return [child];
  });
}

/** Adds to markdown what chat has: mentions, and emoji by their short names. */
export function remarkChat() {
  return (tree: unknown) => dress(tree as RemarkChatNode);
}
