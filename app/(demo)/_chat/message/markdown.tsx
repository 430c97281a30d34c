"use client";

import { useMemo } from "react";
import { strings as media } from "../media/strings.en.ts";
import { CodeBlock } from "./code-block.tsx";
import { type Node, textOf } from "./formatted-node.ts";
import { FIGURE, type Parts, plainParts, show } from "./formatted-parts.tsx";
import { hostOf, MarkdownLink, MarkdownPicture } from "./markdown-link.tsx";
import { marked } from "./marked.ts";
import { Mention } from "./mention.tsx";
import { ChannelLink } from "./plain-text.tsx";

/** Returns the content of a code block, and the language that its author named, or an empty string. */
function codeIn(pre: Node | undefined) {
  const code = pre?.children?.[0];
  const names = code?.properties?.className;
  const name = Array.isArray(names) ? names.find((each) => String(each).startsWith("language-")) : undefined;
  return {
    code: textOf(code).replace(/\n$/, ""),
    language: name ? String(name).slice("language-".length) : "",
  };
}

/** Returns whether a node contains a picture, which handles its own press and must not be inside a link. */
const holdsPicture = (node: Node | undefined): boolean =>
  node?.tagName === "img" || (node?.children ?? []).some(holdsPicture);

const components: Parts = {
  ...plainParts,
  a: ({ node, href, children }) =>
    // Hides the link from a footnote back to its message, because the message is directly above it.
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
  pre: ({ node }) => <CodeBlock {...codeIn(node)} />,
};

/** Elements of a text that keep their style in a single line. All others are reduced to their words. */
const ofLine = new Set(["a", "code", "del", "em", "img", "span", "strong"]);

type TextProps = { tree: Node; myName: string };

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

/** Formatted text. The author's HTML is never used as HTML. */
export function Markdown({ tree, myName }: TextProps) {
  return show(tree, useComponents(myName));
}

/** Shows a picture's description, because the picture does not fit into a line. */
const linked: Parts = {
  a: ({ href, children }) => <MarkdownLink href={href}>{children}</MarkdownLink>,
  img: ({ alt }) => alt || media.picture.label(""),
};

/** Formatted text in one line. */
export function MarkdownLine({ tree, myName }: TextProps) {
  return <span>{show(tree, { ...useComponents(myName), ...linked }, ofLine)}</span>;
}

const ofExcerpt = new Set([...ofLine, "mark"]);

/**
 * Formatted text inside a link to its message, with the matches of `pattern` marked. Links and pictures are
 * reduced to their words.
 */
export function MarkdownExcerpt({ tree, myName, pattern }: TextProps & { pattern: RegExp | null }) {
  const all = useComponents(myName);
  const plain: Parts = useMemo(
    () => ({
      ...all,
      a: ({ children }) => <span className="underline">{children}</span>,
      // A link must not contain another.
      span: ({ className, children }) =>
        className !== "mention" ? children : <Mention text={String(children)} myName={myName} />,
      img: ({ alt }) => alt,
    }),
    [all, myName],
  );
  const found = useMemo(() => (pattern ? marked(tree, pattern) : tree), [tree, pattern]);
  return <span>{show(found, plain, ofExcerpt)}</span>;
}
