"use client";

import { useChannels, useUsers } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { fold, rankOf } from "./rank.ts";
import { type Filter, findFilter, type Known, type Named } from "./server-term.ts";

const AT_MOST = 6;

/** The channels that the reader is in and the people met so far, under all their names. */
export function useKnownNames(): Known {
  const own = useChannels().data ?? [];
  const users = useUsers();
  return {
    channels: own
      .filter(({ type }) => type === "O" || type === "P")
      .map(({ name, display_name }) => ({ handle: name, title: display_name })),
    people: Object.values(users).map(({ username, first_name = "", last_name = "" }) => ({
      handle: username,
      title: `${first_name} ${last_name}`.trim(),
    })),
  };
}

function namesLike({ kind, part }: Filter, { channels, people }: Known): Named[] {
  const term = fold(part.trim());
  return (kind === "in" ? channels : people)
    .flatMap((named) => {
      // A person is known by the handle first, a channel by its title.
      const [name, other] = kind === "in" ? [named.title, named.handle] : [named.handle, named.title];
      const rank = rankOf(term, name, other);
      return rank === null || named.handle === part ? [] : [{ named, rank }];
    })
    .sort((a, b) => a.rank - b.rank || a.named.handle.localeCompare(b.named.handle))
    .slice(0, AT_MOST)
    .map(({ named }) => named);
}

/** The names that complete an unfinished `in:` or `from:` at the end of a search. */
export function FilterNames({ text, onComplete }: { text: string; onComplete: (text: string) => void }) {
  const known = useKnownNames();
  const filter = findFilter(text);
  const names = filter ? namesLike(filter, known) : [];
  if (!filter || names.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a group of fields
    <div role="group" aria-label={strings.search.names} className="flex flex-wrap gap-1.5 px-4 py-2">
      {names.map(({ handle, title }) => (
        <button
          key={handle}
          type="button"
          onClick={() => onComplete(`${text.slice(0, filter.start)}${handle} `)}
          className="max-w-full truncate rounded-full border border-line bg-raised px-2.5 py-1 text-sm hover:border-line-strong pointer-coarse:min-h-10"
        >
          {filter.kind === "in" ? title : `@${handle}`}
        </button>
      ))}
    </div>
  );
}
