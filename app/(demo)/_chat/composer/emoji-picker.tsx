"use client";

import { EmojiPicker as Picker } from "frimousse";
import {
  type ComponentProps,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useLanguage } from "../../_ui/choose-language.ts";
import { hasKeys } from "../../_ui/text-field.tsx";
import { useChat } from "../chat-context.ts";
import { findEmoji, loadEmojiTable, shortNameOf } from "../emoji/emojify.ts";
import { recentEmoji } from "../emoji/recent-emoji.ts";
import { type SkinTone, skinTone, withTone } from "../emoji/skin-tone.ts";
import { strings } from "../strings.en.ts";
import { isComposing } from "./send-key.ts";

type Components = NonNullable<ComponentProps<typeof Picker.List>["components"]>;

const CategoryHeader: Components["CategoryHeader"] = ({ category, ...rest }) => (
  <div {...rest} className="bg-raised px-3 pt-3 pb-1.5 text-xs font-medium text-ink-soft">
    {category.label}
  </div>
);

const MOST_COLUMNS = 8;

/** Returns how many emoji fit side by side: on a narrow touch screen fewer, because each is as wide as a finger. */
const columnsThatFit = () =>
  matchMedia("(pointer: coarse)").matches
    ? Math.min(MOST_COLUMNS, Math.floor((window.innerWidth - 36) / 44))
    : MOST_COLUMNS;

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
    className="flex size-9 items-center justify-center rounded-lg text-lg hover:bg-sunken group-data-in-list/picker:data-active:bg-sunken pointer-coarse:size-11"
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
  const best = useBest(term, tone);
  /** The place of the active emoji among the best ones, or null if the list below has the active one. */
  const [place, setPlace] = useState<number | null>(0);
  const active = best.length === 0 ? null : place;
  const rowId = useId();
  const list = useRef<HTMLDivElement>(null);
  const findActive = () => list.current?.querySelector("[role=gridcell][data-active]");
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event) || best.length === 0) return;
    const { key } = event;
    if (active === null) {
      const row = findActive()?.closest("[role=row]")?.getAttribute("aria-rowindex");
      if (key !== "ArrowUp" || row !== "1") return;
      setPlace(0);
    } else if (key === "Enter") onPick(best[active] ?? "");
    else if (key === "ArrowDown" || (key === "ArrowRight" && active === best.length - 1)) {
      setPlace(null);
      // Without an active emoji, the list makes its first one active at this key.
      if (!findActive()) return;
    } else if (key === "ArrowRight") setPlace(active + 1);
    else if (key === "ArrowLeft") setPlace(Math.max(0, active - 1));
    else if (key !== "ArrowUp") return;
    // The list must not handle the key too.
    event.preventDefault();
  };
  return (
    <Picker.Root
      locale={useLanguage()}
      skinTone={tone}
      columns={columnsThatFit()}
      emojibaseUrl="/emoji"
      onEmojiSelect={({ emoji }) => onPick(emoji)}
      className="group/picker flex h-96 max-h-[inherit] flex-col"
      data-in-list={active === null ? "" : undefined}
    >
      <div className="border-b border-line p-2">
        <Picker.Search
          autoFocus={hasKeys()}
          onChange={({ target }) => {
            setTerm(target.value.trim().toLowerCase());
            setPlace(0);
          }}
          onKeyDown={onKeyDown}
          aria-controls={active === null ? undefined : rowId}
          aria-activedescendant={active === null ? undefined : idIn(rowId, active)}
          aria-label={strings.message.findEmoji}
          placeholder={strings.message.findEmoji}
          className="h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm pointer-coarse:h-11"
        />
      </div>
      {term === "" && <RecentRow onPick={onPick} />}
      {best.length > 0 && (
        <TopRow
          id={rowId}
          title={strings.message.bestEmoji}
          characters={best}
          active={active}
          onPick={onPick}
        />
      )}
      <Picker.Viewport
        ref={list}
        onFocus={() => setPlace(null)}
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
  return <TopRow id={useId()} title={strings.message.recentEmoji} characters={recent} onPick={onPick} />;
}

const MOST_BEST = 8;

/** Returns the emoji whose short names match best, which are shown above all other matches in their groups. */
function useBest(term: string, tone: SkinTone): string[] {
  const { me } = useChat();
  const [, setIsLoaded] = useState(false);
  const isSearching = term !== "";
  useEffect(() => {
    if (!isSearching) return;
    // The common emoji are available without the table.
    loadEmojiTable().then(
      () => setIsLoaded(true),
      () => undefined,
    );
  }, [isSearching]);
  if (!isSearching) return [];
  const best = findEmoji(term.replaceAll(/\s+/g, "_"), MOST_BEST, recentEmoji(me.username));
  return best.map(({ character }) => withTone(character, tone));
}

const idIn = (row: string, place: number) => `${row}-${place}`;

/** A row of emoji with a title. */
function TopRow({
  id,
  title,
  characters,
  active = null,
  onPick,
}: {
  id: string;
  title: string;
  characters: readonly string[];
  /** The place of the emoji that Enter picks. */
  active?: number | null;
  onPick: (character: string) => void;
}) {
  const titleId = `${id}-title`;
  return (
    <section id={id} aria-labelledby={titleId} className="border-b border-line px-2 pb-2">
      <h3 id={titleId} className="px-1 pt-2 pb-1 text-xs font-medium text-ink-soft">
        {title}
      </h3>
      <div className="flex flex-wrap">
        {characters.map((character, place) => {
          const name = shortNameOf(character);
          return (
            <button
              key={character}
              id={idIn(id, place)}
              type="button"
              data-active={place === active ? "" : undefined}
              aria-label={name ? `:${name}:` : character}
              onClick={() => onPick(character)}
              className="flex size-9 items-center justify-center rounded-lg text-lg hover:bg-sunken data-active:bg-sunken pointer-coarse:size-11"
            >
              {character}
            </button>
          );
        })}
      </div>
    </section>
  );
}
