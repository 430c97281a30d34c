import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { Sample } from "../../_landing/code-tabs.tsx";
import { SiteFooter } from "../../_landing/site-footer.tsx";
import { SiteHeader } from "../../_landing/site-header.tsx";
import { strings } from "../../_reference/strings.en.ts";
import { contents, FIRST } from "../contents.ts";

type Props = { params: Promise<{ name?: string[] }> };

async function nameIn(params: Props["params"]): Promise<string> {
  const { name = [FIRST] } = await params;
  const [page = "", ...more] = name;
  if (more.length > 0 || !Object.hasOwn(contents, page)) notFound();
  return page;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${contents[await nameIn(params)]} · ${strings.docs}` };
}

/** The docs of the checkout that the server runs from, as HTML that needs no script. */
export default async function DocsPage({ params }: Props) {
  await connection();
  const open = await nameIn(params);
  const text = await readFile(join(process.cwd(), "docs", `${open}.md`), "utf8");
  return (
    <>
      <SiteHeader />
      <div className="mx-auto w-full max-w-5xl gap-10 px-4 py-8 sm:px-6 lg:flex lg:py-12">
        <nav
          aria-label={strings.docs}
          lang="en"
          className="mb-8 flex shrink-0 flex-wrap gap-x-1 text-sm lg:sticky lg:top-8 lg:mb-0 lg:w-40 lg:flex-col lg:self-start"
        >
          {Object.entries(contents).map(([name, title]) => (
            <a
              key={name}
              href={`/docs/${name}`}
              aria-current={name === open ? "page" : undefined}
              className="rounded-lg px-2.5 py-1.5 text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-selected aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:py-3"
            >
              {title}
            </a>
          ))}
        </nav>
        <main id="content" lang="en" dir="ltr" className="max-w-190 min-w-0 grow text-md wrap-anywhere">
          <Markdown remarkPlugins={[remarkGfm]} components={components}>
            {text}
          </Markdown>
        </main>
      </div>
      <SiteFooter path={`/docs/${open}`} />
    </>
  );
}

const textOf = (node: ReactNode): string =>
  typeof node === "string" ? node : Array.isArray(node) ? node.map(textOf).join("") : inner(node);
const inner = (node: ReactNode) =>
  typeof node === "object" && node !== null && "props" in node
    ? textOf((node.props as { children?: ReactNode }).children)
    : "";

/** Returns a heading's anchor as repository hosts generate it, for the links in the docs. */
const anchorOf = (heading: ReactNode) =>
  textOf(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Makes links between pages of the docs work here. Other files of the checkout are not linked. */
function Reference({ href = "", children }: ComponentProps<"a">) {
  const [, name = "", anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  const target = Object.hasOwn(contents, name) ? `/docs/${name}${anchor}` : href;
  if (!/^(https?:|#|\/docs\/)/.test(target)) return <>{children}</>;
  return (
    <a href={target} className="text-link underline underline-offset-2">
      {children}
    </a>
  );
}

/** A code block. The parser puts its language into a class of its content. */
function Block({ children }: ComponentProps<"pre">) {
  const { className = "" } = (children as ReactElement<ComponentProps<"code">>).props;
  const language = /^language-(\S+)/.exec(className)?.[1] ?? "";
  return (
    <figure className="relative mt-3 overflow-hidden rounded-xl border border-line bg-sunken">
      <Sample
        code={textOf(children).replace(/\n$/, "")}
        language={language}
        title={language}
        copy={strings.copyCode}
      />
    </figure>
  );
}

const components: ComponentProps<typeof Markdown>["components"] = {
  a: Reference,
  h1: ({ children }) => <h1 className="text-xl font-semibold tracking-tight">{children}</h1>,
  h2: ({ children }) => (
    <h2 id={anchorOf(children)} className="mt-10 scroll-mt-4 text-lg font-semibold">
      {children}
    </h2>
  ),
  h3: ({ children }) => (
    <h3 id={anchorOf(children)} className="mt-6 scroll-mt-4 text-base font-semibold">
      {children}
    </h3>
  ),
  p: ({ children }) => <p className="mt-3">{children}</p>,
  ul: ({ children }) => <ul className="mt-3 list-disc space-y-1 ps-5">{children}</ul>,
  ol: ({ children }) => <ol className="mt-3 list-decimal space-y-1 ps-5">{children}</ol>,
  pre: Block,
  code: ({ children }) => <code className="rounded bg-sunken px-1 font-mono text-sm">{children}</code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways does so by keyboard too
    <div tabIndex={0} className="mt-4 overflow-x-auto rounded-xl border border-line bg-surface">
      <table className="w-full min-w-xl text-start text-sm wrap-normal">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="px-3 py-2 text-start font-medium text-ink-soft">{children}</th>,
  td: ({ children }) => <td className="border-t border-line px-3 py-2 align-top">{children}</td>,
};
