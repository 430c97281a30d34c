"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { Avatar } from "../../_ui/avatar.tsx";
import { closeThen } from "../../_ui/use-back-closes.ts";
import { type Post, pictureOf, type User } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import { SearchExcerpt } from "./search-excerpt.tsx";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A message that was found; following it opens its channel at that message. */
export function SearchResult({
  post,
  author,
  place,
  term,
}: {
  post: Post;
  author: User | undefined;
  place: string;
  term: string;
}) {
  const isOpen = useSearchParams().get("post") === post.id;
  const router = useRouter();
  const address = `/chat/${post.channel_id}?post=${post.id}`;
  const name = author?.username ?? strings.sidebar.unknownPerson;
  return (
    <li>
      <Link
        href={address}
        prefetch={false}
        title={strings.search.open}
        aria-current={isOpen ? "true" : undefined}
        onNavigate={(event) => {
          event.preventDefault();
          closeThen(() => router.push(address));
        }}
        className={clsx("block border-b border-line px-4 py-3", isOpen ? "bg-selected" : "hover:bg-sunken")}
      >
        <span className="flex items-center gap-2 text-xs text-ink-soft">
          <span className="truncate font-medium">{place}</span>
          <time dateTime={new Date(post.create_at).toISOString()} className="ml-auto shrink-0">
            {moment.format(post.create_at)}
          </time>
        </span>
        <span className="mt-2 flex gap-2.5">
          <Avatar size="small" name={name} imageUrl={author ? pictureOf(author) : undefined} />
          <span className="min-w-0">
            <span className="block text-sm font-semibold">{name}</span>
            <span
              dir="auto"
              className="mt-0.5 line-clamp-5 text-sm break-words whitespace-pre-line [overflow-wrap:anywhere] [&_mark]:rounded-sm [&_mark]:bg-accent-wash [&_mark]:px-0.5 [&_mark]:font-semibold [&_mark]:text-ink"
            >
              <SearchExcerpt text={post.message} term={term} />
            </span>
          </span>
        </span>
      </Link>
    </li>
  );
}
