"use client";

import { clsx } from "clsx";
import { Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../../_ui/icon-button.tsx";
import { copyCode } from "../copy.ts";
import { strings } from "../strings.en.ts";
import type { CodeToken } from "./highlight.ts";

const MOST_OF_NAME = 24;

/** A code block with its language, a copy button, and its colours once they have loaded. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const tokens = useTokens(code, language);
  return (
    <div
      dir="ltr"
      className="group/code relative my-1.5 overflow-hidden rounded-lg border border-line bg-sunken"
    >
      {language !== "" && (
        <p className="flex min-h-9 items-center px-3 pe-12 text-xs text-ink-soft pointer-coarse:min-h-11">
          {language.slice(0, MOST_OF_NAME)}
        </p>
      )}
      <IconButton
        label={strings.message.copyCode}
        size="small"
        onClick={() => void copyCode(code)}
        className={clsx(
          "absolute top-0.5 end-0.5 bg-sunken!",
          language === "" &&
            "opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100 [@media(hover:none)]:opacity-100",
        )}
      >
        <Copy aria-hidden size={15} />
      </IconButton>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide code scrolls, also by keyboard
        tabIndex={0}
        className={clsx(
          "max-h-96 overflow-auto px-3 pb-2.5 font-mono text-sm [overflow-wrap:normal] focus-visible:outline-offset-[-2px]",
          language === "" && "pt-2.5 pointer-coarse:py-3.5",
        )}
      >
        <code>
          {tokens === null
            ? code
            : tokens.map(({ kind, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text have no other name and never move
                <span key={index} data-code={kind}>
                  {text}
                </span>
              ))}
        </code>
      </pre>
    </div>
  );
}

/** Returns the code's tokens, or null until the highlighter has loaded or if it can't load. */
function useTokens(code: string, language: string): readonly CodeToken[] | null {
  const [tokens, setTokens] = useState<readonly CodeToken[] | null>(null);
  useEffect(() => {
    if (language === "") return;
    let isWanted = true;
    import("./highlight.ts").then(
      ({ highlight }) => isWanted && setTokens(highlight(code, language)),
      // Code without colours is still readable.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [code, language]);
  return tokens;
}
