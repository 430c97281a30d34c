"use client";

import { useChat } from "../chat-context.ts";
import { channelName, tildeName } from "../data/channels.ts";
import { useChannels, useUsers } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { fold, rankOf } from "./rank.ts";
import { type Filter, findFilter, type Known } from "./server-term.ts";
import { useMeeting } from "./use-search.ts";

const AT_MOST = 6;

/** Returns the reader's channels and the people seen so far, with all their names. */
export function useKnownNames(): Known {
  const { me } = useChat();
  const own = useChannels().data ?? [];
  const users = useUsers();
  return {
    conversations: own
      .filter(({ type }) => type === "D" || type === "G")
      .flatMap((channel) => {
        const { name: handle, directUser } = channel;
        const fullName = `${directUser?.firstName ?? ""} ${directUser?.lastName ?? ""}`.trim();
        const titles = [directUser?.username ?? channelName(channel, me.id), fullName];
        return titles.flatMap((title) => (title === "" ? [] : { handle, title }));
      }),
    channels: own
      .filter(({ type }) => type === "O" || type === "P")
      .map((channel) => ({
        handle: channel.name,
        title: channel.displayName,
        tildeName: tildeName(channel),
      })),
    people: Object.values(users).map(({ username, firstName = "", lastName = "" }) => ({
      handle: username,
      title: `${firstName} ${lastName}`.trim(),
    })),
  };
}

/** A name to choose, and its value after `in:` or `from:`. */
type Choice = { handle: string; label: string; written: string; tildeName?: string | null };

function choicesFor({ kind, part }: Filter, { channels, conversations, people }: Known): Choice[] {
  const term = fold(part.trim());
  // People are listed by their handle first, channels by their title.
  const ofPeople = people.map(({ handle, title }) => ({
    ...{ handle, label: `@${handle}`, written: handle },
    names: [handle, title] as const,
  }));
  const ofChannels = channels.map(({ handle, title, tildeName = null }) => ({
    ...{ handle, label: title, written: handle, tildeName },
    names: [title, handle] as const,
  }));
  const ofConversations = conversations.map(({ handle, title }) => {
    const isOne = /^\S+$/.test(title);
    const [label, written] = isOne ? [`@${title}`, `@${title}`] : [title, `"${title}"`];
    return { handle, label, written, names: [title, title] as const };
  });
  const ranked = (kind === "in" ? [...ofChannels, ...ofConversations] : ofPeople)
    .flatMap(({ names, ...choice }) => {
      const rank = rankOf(term, ...names);
      return rank === null || choice.written.replace(/^@/, "") === part ? [] : [{ choice, rank }];
    })
    .sort((a, b) => a.rank - b.rank || a.choice.label.localeCompare(b.choice.label))
    .map(({ choice }) => choice);
  // Each name is listed once, by its best match.
  return [...new Map(ranked.toReversed().map((choice) => [choice.handle, choice])).values()]
    .toReversed()
    .slice(0, AT_MOST);
}

/**
 * Returns whether a term ends in an `in:` or `from:` whose name is unfinished: empty, or only the beginning
 * of known names.
 */
export function isUnfinished(term: string, known: Known): boolean {
  const filter = findFilter(term);
  if (!filter) return false;
  const name = filter.part.trim().toLowerCase();
  if (name === "") return true;
  const all = filter.kind === "in" ? [...known.channels, ...known.conversations] : known.people;
  const isWhole = all.some((one) => [one.handle, one.title].some((text) => text.toLowerCase() === name));
  return !isWhole && choicesFor(filter, known).length > 0;
}

/** Names that complete an unfinished `in:` or `from:` at the end of a search. */
export function FilterNames({ text, onComplete }: { text: string; onComplete: (text: string) => void }) {
  const known = useKnownNames();
  const filter = findFilter(text);
  useMeeting(filter?.kind === "from" ? [filter.part] : []);
  const choices = filter ? choicesFor(filter, known) : [];
  if (!filter || choices.length === 0) return null;
  const before = text.slice(0, filter.start).replace(/[~@"]$/, "");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a group of fields
    <div role="group" aria-label={strings.search.names} className="flex flex-wrap gap-1.5 px-4 py-2">
      {choices.map(({ handle, label, written, tildeName }) => (
        <button
          key={handle}
          type="button"
          onClick={() => onComplete(`${before}${written} `)}
          className="flex max-w-full items-center gap-1.5 rounded-full border border-line bg-raised px-2.5 py-1 text-sm hover:border-line-strong pointer-coarse:min-h-11"
        >
          <span className="truncate">{label}</span>
          {tildeName && (
            <span className="max-w-3/4 shrink-0 truncate text-xs text-ink-soft">{tildeName}</span>
          )}
        </button>
      ))}
    </div>
  );
}
