"use client";

import { type ComponentProps, useEffect, useId, useMemo, useRef } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { ArticlePicture, type ArticlePictures } from "./article-picture.tsx";
import { strings } from "./strings.en.ts";

const link = "text-link underline underline-offset-2 hover:no-underline";

/** Props of a jump target that shows when it was reached. */
const note = { tabIndex: -1, className: "scroll-my-20 rounded px-1 outline-none focus:bg-selected" };

const parts = {
  p: (props: ComponentProps<"p">) => <p className="my-4" {...plain(props)} />,
  ol: (props: ComponentProps<"ol">) => <ol className="my-4 list-decimal space-y-2 ps-6" {...plain(props)} />,
  ul: (props: ComponentProps<"ul">) => <ul className="my-4 list-disc space-y-2 ps-6" {...plain(props)} />,
  li: (props: ComponentProps<"li">) => <li {...plain(props)} {...(props.id !== undefined && note)} />,
  code: (props: ComponentProps<"code">) => (
    <code className="rounded bg-sunken px-1 font-mono text-sm" {...plain(props)} />
  ),
  section: (props: ComponentProps<"section">) => (
    <section {...plain(props)} className="mt-10 border-t border-line pt-2 text-sm text-ink-soft" />
  ),
};

const plugins = [remarkGfm];

/** The text of an article, with its footnotes below. Pictures that this server does not show are links. */
export function ArticleText({ text, pictures }: { text: string; pictures: ArticlePictures }) {
  // A page may show several articles, so their footnotes need different ids.
  const prefix = `${useId().replace(/\W/g, "")}-`;
  const { title, back } = strings.footnotes;
  const components = useMemo(
    () => ({
      ...parts,
      img: ({ src, alt }: ComponentProps<"img">) => (
        <ArticlePicture address={String(src ?? "")} name={alt ?? ""} pictures={pictures} />
      ),
      h2: ({ id, ...props }: ComponentProps<"h2">) => (
        <h2 id={id && prefix + id} className="mt-8 mb-3 text-lg font-semibold" {...plain(props)} />
      ),
      a: ({ "aria-describedby": label, ...props }: ComponentProps<"a">) => (
        <a {...plain(props)} aria-describedby={label && prefix + label} className={link} />
      ),
    }),
    [pictures, prefix],
  );
  const footnoteBackLabel = (at: number, mention: number) => back(at + 1, mention);
  const notes = { clobberPrefix: prefix, footnoteLabel: title, footnoteBackLabel };
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = body.current;
    element?.addEventListener("click", goToNote);
    return () => element?.removeEventListener("click", goToNote);
  }, []);
  return (
    <div ref={body} dir="auto" className="max-w-prose leading-7 [overflow-wrap:anywhere]">
      <Markdown components={components} remarkPlugins={plugins} remarkRehypeOptions={notes}>
        {text}
      </Markdown>
    </div>
  );
}

/**
 * Jumps to a note of the article and back without changing the address, because the chat would take the new
 * address for a message's. Ignores other elements of the page with the same name.
 */
function goToNote(event: MouseEvent): void {
  const { target, currentTarget: article } = event;
  const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[href^='#']");
  if (!link || !(article instanceof Element)) return;
  event.preventDefault();
  const place = [...article.querySelectorAll<HTMLElement>("[id]")].find(({ id }) => `#${id}` === link.hash);
  place?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "nearest" });
}

/** Returns props without the tree node that the Markdown library passes. */
function plain<T extends object>(props: T): T {
  const { node: _node, ...rest } = props as T & { node?: unknown };
  return rest as T;
}
