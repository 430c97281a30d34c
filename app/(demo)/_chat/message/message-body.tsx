"use client";

import { clsx } from "clsx";
import { useMemo, useState } from "react";
import { holdPlace } from "../../_ui/folded.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import type { Post } from "../data/model.ts";
import { isEmojiOnly } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";
import { FOLDED, MessageText, shorten } from "./message-text.tsx";

const PaidPostCard = loadPart(() =>
  import("../../_pay/paid-post-card.tsx").then((module) => module.PaidPostCard),
);

type MessageBodyProps = { post: Post; myName: string; isFolded: boolean };

/** A message's text: long ones shortened at first, with the card of an article that they link to. */
export function MessageBody({ post, myName, isFolded }: MessageBodyProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shortened = useMemo(
    () => shorten(post.message, isFolded ? FOLDED : undefined),
    [post.message, isFolded],
  );
  const slug = useMemo(() => articleSlugIn(post.message, window.location.origin), [post.message]);
  const isLarge = useMemo(() => isEmojiOnly(post.message), [post.message]);
  if (post.delete_at > 0) return <p className="text-md text-ink-soft italic">{strings.message.deleted}</p>;
  return (
    <>
      <div
        dir="auto"
        className={clsx(
          "isolate overflow-clip [&>p:first-child:has(+span)]:inline",
          isLarge ? "text-xl" : "text-md compact:leading-5",
        )}
      >
        <MessageText text={isWhole ? post.message : shortened} myName={myName} />
        {post.edit_at > 0 && (
          <span className="text-xs leading-6 text-ink-faint"> ({strings.message.edited})</span>
        )}
      </div>
      {shortened !== post.message && (
        <button
          type="button"
          onClick={({ currentTarget }) => {
            holdPlace(currentTarget);
            setIsWhole(!isWhole);
          }}
          className="mt-1 text-sm font-medium text-link hover:underline pointer-coarse:min-h-10"
        >
          {isWhole ? strings.message.showLess : strings.message.showMore}
        </button>
      )}
      {slug && (
        <div className="mt-2 max-w-xl">
          <PaidPostCard slug={slug} />
        </div>
      )}
    </>
  );
}

const ADDRESS = /https?:\/\/[^\s<>()[\]"']+/g;

/** The name of the first article of this site that a text links to, or null. */
function articleSlugIn(text: string, origin: string): string | null {
  if (!text.includes(`${origin}/articles/`)) return null;
  for (const [address] of text.matchAll(ADDRESS)) {
    const slug = address.startsWith(`${origin}/articles/`)
      ? /^[a-z0-9]+(?:-[a-z0-9]+)*/.exec(address.slice(origin.length + "/articles/".length))?.[0]
      : undefined;
    if (slug) return slug;
  }
  return null;
}
