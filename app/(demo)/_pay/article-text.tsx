"use client";

import { type ComponentProps, useMemo, useState } from "react";
import Markdown from "react-markdown";

const parts = {
  h2: (props: ComponentProps<"h2">) => <h2 className="mt-8 mb-3 text-lg font-semibold" {...plain(props)} />,
  p: (props: ComponentProps<"p">) => <p className="my-4" {...plain(props)} />,
  ol: (props: ComponentProps<"ol">) => <ol className="my-4 list-decimal space-y-2 ps-6" {...plain(props)} />,
  code: (props: ComponentProps<"code">) => (
    <code className="rounded bg-sunken px-1 font-mono text-sm" {...plain(props)} />
  ),
};

/** Paths that show pictures of other servers, by their addresses. */
export type ArticlePictures = Readonly<Record<string, string>>;

/** The text of an article. Pictures that this server does not show are links. */
export function ArticleText({ text, pictures }: { text: string; pictures: ArticlePictures }) {
  const components = useMemo(
    () => ({
      ...parts,
      img: ({ src, alt }: ComponentProps<"img">) => (
        <ArticlePicture address={String(src ?? "")} name={alt ?? ""} pictures={pictures} />
      ),
    }),
    [pictures],
  );
  return (
    <div dir="auto" className="max-w-prose leading-7 [overflow-wrap:anywhere]">
      <Markdown components={components}>{text}</Markdown>
    </div>
  );
}

type ArticlePictureProps = { address: string; name: string; pictures: ArticlePictures };

function ArticlePicture({ address, name, pictures }: ArticlePictureProps) {
  const [isBroken, setIsBroken] = useState(false);
  const path = Object.hasOwn(pictures, address) ? pictures[address] : undefined;
  if (isBroken || !path?.startsWith("/api/demo/pictures?"))
    return (
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-link underline underline-offset-2 hover:no-underline"
      >
        {name || address}
      </a>
    );
  return (
    // biome-ignore lint/performance/noImgElement: the gateway gives it as it is to be shown
    <img
      src={path}
      alt={name}
      title={name || undefined}
      loading="lazy"
      decoding="async"
      onError={() => setIsBroken(true)}
      className="max-h-[80vh] max-w-full rounded-lg"
    />
  );
}

/** Without the tree node that the Markdown library hands along. */
function plain<T extends object>(props: T): T {
  const { node: _node, ...rest } = props as T & { node?: unknown };
  return rest as T;
}
