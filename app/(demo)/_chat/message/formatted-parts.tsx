import { clsx } from "clsx";
import { type ComponentType, type CSSProperties, createElement, Fragment, type ReactNode } from "react";
import { strings } from "../strings.en.ts";
import { LONGEST_FIGURE } from "./figure.ts";
import { type Node, textOf } from "./formatted-node.ts";

/** Classes for the look of a number. */
export const FIGURE = "whitespace-nowrap tabular-nums";

/** Returns whether a cell is a number with its sign and unit, or as short; no line break may split it. */
const isFigure = (cell: Node | undefined) => {
  const text = textOf(cell);
  return text.length <= LONGEST_FIGURE && /\d/.test(text);
};

/** A message is not a page, so its headings are bold lines. */
function Heading({ children }: { children?: ReactNode }) {
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

/** Custom renderers for elements. */
export type Parts = Readonly<Record<string, ComponentType<PartProps>>>;

/** Renderers for the elements that look the same in every text. */
export const plainParts: Parts = {
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
  // Leaves out the element's id, which other messages use too: a link could lead to another message.
  li: ({ children, className }) => <li className={className}>{children}</li>,
};

/** Elements that contain only other elements. */
const TABLE = new Set(["table", "thead", "tbody", "tr"]);

/** Renders a tree. Elements that are not `allowed` are reduced to their content. */
export function show(node: Node, parts: Parts, allowed?: ReadonlySet<string>, key?: number): ReactNode {
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
