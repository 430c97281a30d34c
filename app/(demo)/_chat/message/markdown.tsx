"use client";

import { useMemo } from "react";
import { strings as media } from "../media/strings.en.ts";
import { CodeBlock } from "./code-block.tsx";
import type { Node } from "./formatted-node.ts";
import { FIGURE, type Parts, plainParts, show } from "./formatted-parts.tsx";
import { hostOf, MarkdownLink, MarkdownPicture } from "./markdown-link.tsx";
import { markIn, textOf, treeOf } from "./markdown-tree.ts";
import { Mention } from "./mention.tsx";
import { ChannelLink } from "./plain-text.tsx";

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

const components: Parts = {
  ...plainParts,
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
  pre: ({ node }) => <CodeBlock {...codeIn(node)} />,
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
