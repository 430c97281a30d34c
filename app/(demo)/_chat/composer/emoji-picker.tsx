"use client";

import { EmojiPicker as Picker } from "frimousse";
import { type ComponentProps, useEffect, useId, useState, useSyncExternalStore } from "react";
import { useLanguage } from "../../_ui/choose-language.ts";
import { hasKeys } from "../../_ui/text-field.tsx";
import { useChat } from "../chat-context.ts";
import { findEmoji, loadEmojiTable, shortNameOf } from "../emoji/emojify.ts";
import { recentEmoji } from "../emoji/recent-emoji.ts";
import { skinTone, withTone } from "../emoji/skin-tone.ts";
import { strings } from "../strings.en.ts";

type Components = NonNullable<ComponentProps<typeof Picker.List>["components"]>;

const CategoryHeader: Components["CategoryHeader"] = ({ category, ...rest }) => (
  <div {...rest} className="bg-raised px-3 pt-3 pb-1.5 text-xs font-medium text-ink-soft">
    {category.label}
  </div>
);

/** The library counts from zero, ARIA from one. */
function fromOne<Props extends { "aria-rowindex"?: number; "aria-colindex"?: number }>(props: Props): Props {
  const { "aria-rowindex": row, "aria-colindex": column } = props;
  return {
    ...props,
    ...(row !== undefined && { "aria-rowindex": row + 1 }),
    ...(column !== undefined && { "aria-colindex": column + 1 }),
  };
}

const Row: Components["Row"] = ({ children, ...rest }) => (
  <div {...fromOne(rest)} className="px-2">
    {children}
  </div>
);

const Emoji: Components["Emoji"] = ({ emoji, ...rest }) => (
  <button
    type="button"
    {...fromOne(rest)}
    className="flex size-9 items-center justify-center rounded-lg text-lg data-active:bg-sunken pointer-coarse:size-10"
  >
    {emoji.emoji}
  </button>
);

const components = { CategoryHeader, Row, Emoji };

/**
 * The recently used emoji, and all emoji by group and by search. The emoji tables come from our own origin.
 */
export function EmojiPicker({ onPick }: { onPick: (character: string) => void }) {
  const [term, setTerm] = useState("");
  const tone = useSyncExternalStore(skinTone.subscribe, skinTone.snapshot, skinTone.snapshot);
  return (
    <Picker.Root
      locale={useLanguage()}
      skinTone={tone}
      columns={8}
      emojibaseUrl="/emoji"
      onEmojiSelect={({ emoji }) => onPick(emoji)}
      className="flex h-96 max-h-[inherit] flex-col"
    >
      <div className="border-b border-line p-2">
        <Picker.Search
          autoFocus={hasKeys()}
          onChange={({ target }) => setTerm(target.value.trim().toLowerCase())}
          aria-label={strings.message.findEmoji}
          placeholder={strings.message.findEmoji}
          className="h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm pointer-coarse:h-10"
        />
      </div>
      {term === "" ? <RecentRow onPick={onPick} /> : <BestRow term={term} onPick={onPick} />}
      <Picker.Viewport
        tabIndex={0}
        className="relative grow outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-ring"
      >
        <Picker.Loading className="absolute inset-0 flex items-center justify-center text-sm text-ink-soft">
          {strings.message.loadingEmoji}
        </Picker.Loading>
        <Picker.Empty className="absolute inset-0 flex items-center justify-center text-sm text-ink-soft">
          {strings.message.noEmoji}
        </Picker.Empty>
        <Picker.List className="pb-2 select-none" components={components} />
      </Picker.Viewport>
    </Picker.Root>
  );
}

/** The most recently used emoji, above all others. */
export function RecentRow({ onPick }: { onPick: (character: string) => void }) {
  const { me } = useChat();
  const [recent] = useState(() => recentEmoji(me.username));
  return <TopRow title={strings.message.recentEmoji} characters={recent} onPick={onPick} />;
}

const MOST_BEST = 8;

/** The emoji whose short names match best, above all other matches in their groups. */
function BestRow({ term, onPick }: { term: string; onPick: (character: string) => void }) {
  const { me } = useChat();
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    // The common emoji are available without the table.
    loadEmojiTable().then(
      () => setIsLoaded(true),
      () => undefined,
    );
  }, []);
  const part = term.replaceAll(/\s+/g, "_");
  const best = findEmoji(part, MOST_BEST, recentEmoji(me.username));
  const tone = skinTone.snapshot();
  if (best.length === 0) return null;
  return (
    <TopRow
      key={String(isLoaded)}
      title={strings.message.bestEmoji}
      characters={best.map(({ character }) => withTone(character, tone))}
      onPick={onPick}
    />
  );
}

/** A row of emoji with a title. */
function TopRow({
  title,
  characters,
  onPick,
}: {
  title: string;
  characters: readonly string[];
  onPick: (character: string) => void;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line px-2 pb-2">
      <h3 id={id} className="px-1 pt-2 pb-1 text-xs font-medium text-ink-soft">
        {title}
      </h3>
      <div className="flex flex-wrap">
        {characters.map((character) => {
          const name = shortNameOf(character);
          return (
            <button
              key={character}
              type="button"
              aria-label={name ? `:${name}:` : character}
              onClick={() => onPick(character)}
              className="flex size-9 items-center justify-center rounded-lg text-lg hover:bg-sunken pointer-coarse:size-10"
            >
              {character}
            </button>
          );
        })}
      </div>
    </section>
  );
}
