"use client";

import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useRef, useState } from "react";
import type { Member } from "#lib/chat-client/index.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { hasKeys, TextField } from "../../_ui/text-field.tsx";
import { useChat } from "../chat-context.ts";
import { queryKeys, rememberUsers } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { fetchFurther } from "../data/fetch-further.ts";
import { fullNameOf } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { strings } from "../strings.en.ts";
import { Person } from "./faces.tsx";
import { PresenceDot, PresenceWords } from "./presence.tsx";

const PAGE = 50;

/** The members of a channel, next to the channel or, on a phone, over it. */
export function MembersPanel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const [term, setTerm] = useState("");
  const field = useRef<HTMLInputElement>(null);
  return (
    <SidePanel title={strings.members.title} {...(hasKeys() && { initialFocus: field })} onClose={onClose}>
      <TextField
        ref={field}
        type="search"
        label={strings.members.find}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        maxLength={64}
        spellCheck={false}
        autoCapitalize="none"
        className="border-b border-line px-4 pb-3"
      />
      <div className="relative grow overflow-y-auto p-2">
        <Members channelId={channelId} term={useDeferredValue(term.trim().toLowerCase())} />
      </div>
    </SidePanel>
  );
}

/** Returns a channel's members, or those whose name starts with a term, a page at a time. */
function useMembers(channelId: string, term: string) {
  const cache = useQueryClient();
  return useInfiniteQuery({
    queryKey: queryKeys.members(channelId, term),
    placeholderData: keepPreviousData,
    // Events report joins and departures only while the panel is shown.
    staleTime: 5_000,
    initialPageParam: 0,
    queryFn: async ({ pageParam: page, signal }) => {
      const answer = await chatClient.channels.members(channelId, {
        page,
        perPage: PAGE,
        signal,
        ...(term && { q: term }),
      });
      rememberUsers(
        cache,
        answer.members.map(({ user }) => user),
      );
      return answer;
    },
    getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length : undefined),
  });
}

function Members({ channelId, term }: { channelId: string; term: string }) {
  const { data, isError, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useMembers(
    channelId,
    term,
  );
  if (data === undefined)
    return isError ? (
      <div role="alert" className="p-2 text-sm">
        <p className="mb-3">{strings.members.failed}</p>
        <Button size="small" onClick={() => void refetch()}>
          {strings.failed.retry}
        </Button>
      </div>
    ) : (
      ["w-32", "w-40", "w-28"].map((width) => <Skeleton key={width} className={`m-3 h-6 ${width}`} />)
    );
  // A person who joined between two pages may be on both.
  const members = [
    ...new Map(data.pages.flatMap((page) => page.members).map((member) => [member.user.id, member])).values(),
  ];
  if (members.length === 0)
    return (
      <p role="status" className="p-2 text-sm text-ink-soft">
        {strings.members.none}
      </p>
    );
  return (
    <>
      <ul aria-label={strings.members.title} aria-busy={isFetching} onKeyDown={walk}>
        {members.map((member) => (
          <MemberRow key={member.user.id} member={member} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="p-3 text-center">
          <Button
            size="small"
            isBusy={isFetchingNextPage}
            onClick={() => void fetchFurther(fetchNextPage, data.pages.length)}
          >
            {strings.members.more}
          </Button>
        </div>
      )}
    </>
  );
}

function walk(event: KeyboardEvent<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The roles in a channel, from most to least powerful. */
const ranks = ["system_admin", "team_admin", "channel_admin", "guest"] as const;

/** A member's row, with their presence and role. It opens their card. */
function MemberRow({ member: { user, roles } }: { member: Member }) {
  const { me } = useChat();
  const fullName = fullNameOf(user);
  const highest = ranks.find((role) => roles.includes(role));
  const marks = [...(user.isBot ? (["bot"] as const) : []), ...(highest ? [highest] : [])];
  return (
    <li>
      <Person userId={user.id}>
        <button
          type="button"
          className="flex min-h-11 w-full items-center gap-3 rounded-lg px-2 py-1.5 text-start hover:bg-sunken"
        >
          <span aria-hidden className="relative flex shrink-0">
            <Avatar name={user.username} imageUrl={pictureOf(user)} />
            <PresenceDot userId={user.id} />
          </span>
          <span className="min-w-0 grow">
            <span className="flex items-baseline gap-2">
              <span className="truncate text-sm font-semibold">
                {user.id === me.id ? strings.sidebar.self(user.username) : user.username}
              </span>
              {fullName && <span className="truncate text-xs text-ink-soft">{fullName}</span>}
            </span>
            {marks.length > 0 && (
              <span className="block truncate text-xs text-ink-soft">
                {strings.list(marks.map((mark) => strings.members.roles[mark]))}
              </span>
            )}
            <span className="sr-only">
              <span>, </span>
              <PresenceWords userId={user.id} />
            </span>
          </span>
        </button>
      </Person>
    </li>
  );
}
