"use client";

import { clsx } from "clsx";
import { AtSign } from "lucide-react";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { FoundPosts } from "#lib/chat-client/index.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { momentOf } from "../../_ui/language.ts";
import { closeThen } from "../../_ui/panel.ts";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { TextField } from "../../_ui/text-field.tsx";
import { type Early, SEARCH_LENGTH, useChat, usePanel } from "../chat-context.ts";
import { saidIn } from "../data/channel-news.ts";
import { channelName } from "../data/channels.ts";
import { fetchFurther } from "../data/fetch-further.ts";
import type { Post, User } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useChannels } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { MessageExcerpt } from "../message/message-text.tsx";
import { usePreparedMessages } from "../message/prepare-texts.ts";
import { strings } from "../strings.en.ts";
import { excerptOf, patternOf } from "./excerpt.ts";
import { FilterNames, isUnfinished, useKnownNames } from "./filter-names.tsx";
import { useRecentSearch } from "./recent-search.ts";
import { isUnspaced, namesBehindFrom, serverTermOf } from "./server-term.ts";
import { quote } from "./sought.ts";
import { useMeeting, useMentions, useSearch } from "./use-search.ts";

/** The message search, next to the conversation or, on a phone, over it. */
export function SearchPanel({ early, onClose }: { early: Early; onClose: () => void }) {
  const [term, setTerm] = useState(early.text);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Part of the text may have been typed since loading began.
    setTerm(early.text);
    field.current?.setSelectionRange(SEARCH_LENGTH, SEARCH_LENGTH);
  }, [early]);
  return (
    <SidePanel title={strings.search.title} initialFocus={field} before={early.before} onClose={onClose}>
      <TextField
        ref={field}
        type="search"
        label={strings.search.label}
        hint={strings.search.hint}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        // The panel would focus the field a moment later, and a letter could be lost.
        autoFocus={early.takesFocus}
        maxLength={SEARCH_LENGTH}
        spellCheck={false}
        enterKeyHint="search"
        className="border-b border-line px-4 pb-3"
      />
      <FilterNames
        text={term}
        onComplete={(text) => {
          setTerm(text);
          field.current?.focus();
        }}
      />
      <div className="grow overflow-y-auto">
        <SearchResults term={term.trim()} />
      </div>
    </SidePanel>
  );
}

const placeholders = ["w-4/5", "w-3/5", "w-2/3"];

/** The results of a search, or the reason why there are none. */
export function SearchResults({ term }: { term: string }) {
  const { open } = usePanel();
  const isMeeting = useMeeting(namesBehindFrom(term));
  const known = useKnownNames();
  const asked = serverTermOf(term, known);
  const isBegun = isUnfinished(term, known);
  const { isFull, ...search } = useSearch(asked, !isMeeting && !isBegun);
  const pattern = useMemo(() => patternOf(asked), [asked]);
  if (!search.isAsking && !search.isError)
    return (
      <div className="space-y-3 p-4 text-sm text-ink-soft">
        <p>{strings.search.start}</p>
        <Button size="small" onClick={() => open("mentions")}>
          <AtSign aria-hidden size={15} />
          {strings.search.mentions}
        </Button>
      </div>
    );
  const isPartial = isUnspaced(asked) && !isBegun;
  const isNothing =
    !isMeeting &&
    !isBegun &&
    !search.isError &&
    !search.isFetching &&
    search.pages.every(({ posts }) => posts.length === 0);
  return (
    <>
      <FoundMessages
        {...search}
        isFetching={isMeeting || search.isFetching}
        label={strings.search.title}
        none={isBegun ? strings.search.unfinished : strings.search.none(term)}
        failed={strings.search.failed}
        pattern={pattern}
      />
      {isFull && <p className="p-4 text-sm text-ink-soft">{strings.search.full}</p>}
      {pattern && (isPartial || isNothing) && (
        <RecentMatches key={asked} term={asked} pattern={pattern}>
          {isPartial ? strings.search.unspaced : strings.search.wholeWords}
        </RecentMatches>
      )}
    </>
  );
}

/** Offers to search the latest messages for what the server can't find, and shows the results. */
function RecentMatches({ term, pattern, children }: { term: string; pattern: RegExp; children: ReactNode }) {
  const [isOn, setIsOn] = useState(false);
  const { data, ...query } = useRecentSearch(term, isOn);
  if (!isOn)
    return (
      <div className="space-y-3 p-4 text-sm text-ink-soft">
        <p>{children}</p>
        <Button size="small" onClick={() => setIsOn(true)}>
          {strings.search.lookThrough}
        </Button>
      </div>
    );
  return (
    <section aria-label={strings.search.recent}>
      <h3 className="px-4 pt-4 pb-1 text-sm font-semibold">{strings.search.recent}</h3>
      <FoundMessages
        {...query}
        pages={data ? [data] : []}
        label={strings.search.recent}
        none={strings.search.noneRecent}
        failed={strings.search.failed}
        pattern={pattern}
      />
    </section>
  );
}

/** Messages by others that mention the reader, next to the conversation or, on a phone, over it. */
export function MentionsPanel({ onClose }: { onClose: () => void }) {
  const { me } = useChat();
  const { data, ...mentions } = useMentions();
  const pattern = useMemo(
    () =>
      new RegExp(`(@(?:${[me.username, "all", "channel", "here"].map(quote).join("|")})(?![\\w-]))`, "giu"),
    [me.username],
  );
  return (
    <SidePanel title={strings.mentions.title} onClose={onClose}>
      <div className="grow overflow-y-auto border-t border-line">
        <FoundMessages
          {...mentions}
          pages={data?.pages ?? []}
          label={strings.mentions.title}
          none={strings.mentions.none(me.username)}
          failed={strings.mentions.failed}
          pattern={pattern}
          isNaming
        />
      </div>
    </SidePanel>
  );
}

type Found = Pick<ReturnType<typeof useMentions>, "isFetching" | "isError"> &
  Partial<
    Pick<
      ReturnType<typeof useMentions>,
      "hasNextPage" | "fetchNextPage" | "isFetchingNextPage" | "isFetchNextPageError"
    >
  > & {
    refetch: () => unknown;
    pages: readonly FoundPosts[];
    label: string;
    none: string;
    failed: string;
    pattern: RegExp | null;
    isNaming?: boolean;
  };

/** Messages from many channels, a page at a time. */
export function FoundMessages({ pages, label, none, failed, pattern, isNaming = false, ...query }: Found) {
  const { me } = useChat();
  const own = useChannels().data ?? [];
  const { isFetching, isError, refetch } = query;
  const { hasNextPage, fetchNextPage, isFetchingNextPage = false, isFetchNextPageError = false } = query;
  usePreparedMessages();
  const count = pages.reduce((sum, { posts }) => sum + posts.length, 0);

  // The results stay if a further page fails.
  const fetchMore = () => fetchNextPage && fetchFurther(fetchNextPage, pages.length);
  const retry = isFetchNextPageError ? fetchMore : refetch;
  const failure = isError && (
    <div role="alert" className="p-4 text-sm">
      <p className="mb-3">{failed}</p>
      <Button size="small" isBusy={count > 0 && isFetching} onClick={() => void retry()}>
        {strings.failed.retry}
      </Button>
    </div>
  );
  if (count === 0 && failure) return failure;
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
        {none}
      </p>
    );
  return (
    <>
      <ul aria-label={label} aria-busy={isFetching}>
        {pages.flatMap(({ posts, users, channels }) =>
          posts.map((post) => {
            const channel = own.find(({ id }) => id === post.channelId) ?? channels[post.channelId];
            return (
              <SearchResult
                key={post.id}
                post={post}
                author={users[post.userId]}
                place={channel ? channelName(channel, me.id) : ""}
                pattern={pattern}
                isNaming={isNaming}
              />
            );
          }),
        )}
      </ul>
      {failure}
      {hasNextPage && !isError && (
        <div className="p-4 text-center">
          <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchMore()}>
            {strings.search.more}
          </Button>
        </div>
      )}
    </>
  );
}

/** A found message, which links to its place in its channel. */
export function SearchResult({
  post,
  author,
  place,
  pattern = null,
  isNaming = false,
  children,
}: {
  post: Post;
  author: User | undefined;
  place: string;
  /** The pattern whose matches are marked. */
  pattern?: RegExp | null;
  /** True if the matches are the reader's name, which stands out as in the timeline. */
  isNaming?: boolean;
  /** Actions for the message, shown below it. */
  children?: ReactNode;
}) {
  const isOpen = useSearchParams().get("post") === post.id;
  const router = useRouter();
  const { leaveFor } = usePanel();
  const address = `/chat/${post.channelId}?post=${post.id}`;
  const name = author?.username ?? strings.sidebar.unknownPerson;
  return (
    <li className="border-b border-line">
      <Link
        href={address}
        prefetch={false}
        title={strings.search.open}
        aria-current={isOpen ? "true" : undefined}
        onNavigate={(event) => {
          event.preventDefault();
          closeThen(() => {
            if (isNaming && post.rootId !== "") leaveFor(post.rootId, "mentions");
            router.push(address);
          });
        }}
        className={clsx("block px-4 py-3", isOpen ? "bg-selected" : "hover:bg-sunken")}
      >
        <span className="flex items-center gap-2 text-xs text-ink-soft">
          <span dir="auto" className="truncate font-medium">
            {place}
          </span>
          <time dateTime={new Date(post.createAt).toISOString()} className="ms-auto shrink-0">
            {momentOf(post.createAt)}
          </time>
        </span>
        <span className="mt-2 flex gap-2.5">
          <Avatar size="small" name={name} imageUrl={author ? pictureOf(author) : undefined} />
          <span className="min-w-0">
            <span className="block text-sm font-semibold">{name}</span>
            <span
              dir="auto"
              className={clsx(
                "mt-0.5 line-clamp-5 text-sm break-words whitespace-pre-line [overflow-wrap:anywhere] [&_mark]:rounded-sm [&_mark]:px-0.5 [&_mark]:font-semibold",
                isNaming
                  ? "[&_mark]:bg-accent [&_mark]:text-accent-ink"
                  : "[&_mark]:bg-selected [&_mark]:text-ink",
              )}
            >
              {isFilesAlone(post) ? saidIn(post) : <SearchExcerpt text={saidIn(post)} pattern={pattern} />}
            </span>
          </span>
        </span>
      </Link>
      {children}
    </li>
  );
}

/** Returns whether a message consists only of files, whose names are not Markdown. */
const isFilesAlone = ({ message, props }: Post): boolean =>
  message.trim() === "" && !Array.isArray(props?.attachments);

/** The part of a message that matches, formatted as in the timeline, with the matches marked. */
function SearchExcerpt({ text, pattern }: { text: string; pattern: RegExp | null }) {
  const { me } = useChat();
  const excerpt = useMemo(() => excerptOf(text, pattern), [text, pattern]);
  const plain = <Highlight text={emojify(excerpt)} pattern={pattern} />;
  return <MessageExcerpt text={excerpt} myName={me.username} pattern={pattern} plain={plain} />;
}

/** Text with the matches of a pattern marked; the pattern has one group. */
function Highlight({ text, pattern }: { text: string; pattern: RegExp | null }) {
  if (!pattern) return text;
  return text.split(pattern).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
