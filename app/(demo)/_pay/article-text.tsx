"use client";

import type { ComponentProps } from "react";
import Markdown from "react-markdown";

const parts = {
  h2: (props: ComponentProps<"h2">) => <h2 className="mt-8 mb-3 text-lg font-semibold" {...plain(props)} />,
  p: (props: ComponentProps<"p">) => <p className="my-4" {...plain(props)} />,
  ol: (props: ComponentProps<"ol">) => <ol className="my-4 list-decimal space-y-2 ps-6" {...plain(props)} />,
  code: (props: ComponentProps<"code">) => (
    <code className="rounded bg-sunken px-1 font-mono text-sm" {...plain(props)} />
  ),
};

/** The text of an article. */
export function ArticleText({ text }: { text: string }) {
  return (
    <div dir="auto" className="max-w-prose leading-7">
      <Markdown components={parts}>{text}</Markdown>
    </div>
  );
}

/** Without the tree node that the Markdown library hands along. */
function plain<T extends object>(props: T): T {
  const { node: _node, ...rest } = props as T & { node?: unknown };
  return rest as T;
}
