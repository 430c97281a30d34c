"use client";

import { useRef, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { TextField } from "../../_ui/text-field.tsx";
import { useChat } from "../chat-context.ts";
import { channelName } from "../data/channels.ts";
import { useChannels } from "../data/use-channels.ts";
import { useIsFormatterSettled } from "../message/message-text.tsx";
import { strings } from "../strings.en.ts";
import { SearchResult } from "./search-result.tsx";
import { useSearch } from "./use-search.ts";

/** The search over messages: beside the conversation, on a phone over it. */
export function SearchPanel({ onClose }: { onClose: () => void }) {
  const [term, setTerm] = useState("");
  const field = useRef<HTMLInputElement>(null);
  return (
    <SidePanel
      title={strings.search.title}
      initialFocus={field}
      onClose={onClose}
      className="md:left-auto md:w-88 md:border-l md:border-line max-lg:md:shadow-lift lg:static lg:z-auto lg:shrink-0 max-2xl:peer-has-[[role=complementary]]:fixed max-2xl:peer-has-[[role=complementary]]:z-30"
    >
      <TextField
        ref={field}
        type="search"
        label={strings.search.label}
        hint={strings.search.hint}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        maxLength={512}
        spellCheck={false}
        enterKeyHint="search"
        className="border-b border-line px-4 pb-3"
      />
      <div className="grow overflow-y-auto">
        <SearchResults term={term.trim()} />
      </div>
    </SidePanel>
  );
}

const placeholders = ["w-4/5", "w-3/5", "w-2/3"];

/** What a search found, or why there is nothing. */
export function SearchResults({ term }: { term: string }) {
  const { me } = useChat();
  const own = useChannels().data ?? [];
  const { pages, isAsking, isFetching, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useSearch(term);
  useIsFormatterSettled();
  const count = pages.reduce((sum, { posts }) => sum + posts.length, 0);

  if (isError)
    return (
      <div role="alert" className="p-4 text-sm">
        <p className="mb-3">{strings.search.failed}</p>
        <Button size="small" onClick={() => void refetch()}>
          {strings.failed.retry}
        </Button>
      </div>
    );
  if (!isAsking) return <p className="p-4 text-sm text-ink-soft">{strings.search.start}</p>;
  if (count === 0 && isFetching)
    return (
      <div aria-busy="true" className="space-y-5 p-4">
        {placeholders.map((width) => (
          <div key={width} className="space-y-2">
            <Skeleton className="h-3 w-32" />
            <Skeleton className={`h-4 ${width}`} />
          </div>
        ))}
      </div>
    );
  if (count === 0)
    return (
      <p role="status" className="p-4 text-sm text-ink-soft">
        {strings.search.none(term)}
      </p>
    );
  return (
    <>
      <ul aria-label={strings.search.title} aria-busy={isFetching}>
        {pages.flatMap(({ posts, users, channels }) =>
          posts.map((post) => {
            const channel = own.find(({ id }) => id === post.channel_id) ?? channels[post.channel_id];
            return (
              <SearchResult
                key={post.id}
                post={post}
                author={users[post.user_id]}
                place={channel ? channelName(channel, me.id) : ""}
                term={term}
              />
            );
          }),
        )}
      </ul>
      {hasNextPage && (
        <div className="p-4 text-center">
          <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {strings.search.more}
          </Button>
        </div>
      )}
    </>
  );
}
