"use client";

import { clsx } from "clsx";
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  startTransition,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { type CacheSnapshot, Virtualizer, type VirtualizerHandle } from "virtua";
import { dropLooks } from "../../_ui/shown-looks.ts";
import type { ListHandle, ListRow, ListView, Place } from "./list-handle.ts";
import { storedHeight, storedHeights, storeHeights } from "./row-heights.ts";
import { type RowRange, rowsAtStart } from "./rows-at-start.ts";
import { usePlace } from "./use-place.ts";

const RENDERED_AHEAD_PX = 1_200;
/**
 * Usual height of a message of one or two lines. With a smaller value, rows out of view would be rendered
 * before the first message is shown.
 */
const USUAL_ROW_PX = 72;

type MessageListProps<Row extends ListRow> = {
  ref: Ref<ListHandle>;
  label: string;
  rows: readonly Row[];
  start: Place;
  /** True if the last row is the newest that exists. */
  isComplete: boolean;
  /** True if few rows start at the upper edge instead of the lower one. */
  isFromTop?: boolean;
  /** Content of a list without rows. */
  empty?: ReactNode;
  onView?: (view: ListView) => void;
  children: (row: Row, index: number) => ReactNode;
};

const ignore = () => undefined;

/**
 * Returns whether a key belongs to the list: dialogs and menus of a row are elsewhere in the page, and text
 * fields use keys themselves.
 */
const isOfList = ({ target, currentTarget }: KeyboardEvent) =>
  target instanceof Element &&
  currentTarget.contains(target) &&
  !target.closest("input, textarea, select, [role=menu]");

/** A scrolling log of messages that renders only those near the view. */
export function MessageList<Row extends ListRow>({
  ref,
  label,
  rows,
  start,
  isComplete,
  isFromTop = false,
  empty,
  onView = ignore,
  children,
}: MessageListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  const heights = useStoredHeights(virtualizer, rows);
  const isShift = useIsShift(rows);
  const { isAtRest, onResize: noteResize } = useFirstRest();
  const [atStart] = useState(() =>
    rowsAtStart(rows, start, window.innerHeight, ({ key }) => storedHeight(key) ?? USUAL_ROW_PX),
  );
  const ahead = useRowsAhead(scroller, virtualizer, rows, isAtRest ? RENDERED_AHEAD_PX : 0, atStart);
  const { onResize, show } = usePlace({
    scroller,
    virtualizer,
    rows,
    start,
    isComplete,
    onView,
  });
  useImperativeHandle(
    ref,
    () => ({
      show,
      scrollBy: (distance) => scroller.current?.scrollBy({ top: distance, behavior: "instant" }),
    }),
    [show],
  );

  const isEmpty = rows.length === 0;
  const [isMeasured, setIsMeasured] = useState(isEmpty || heights !== undefined);
  useLayoutEffect(() => {
    if (isEmpty) dropLooks();
    return dropLooks;
  }, [isEmpty]);
  // A focused row that scrolls out of view must stay rendered, or it would lose the focus.
  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  const onFocus = ({ target }: FocusEvent) =>
    setFocusedKey(target.closest<HTMLElement>("[data-row]")?.dataset.row ?? null);
  const focused = focusedKey === null ? -1 : rows.findIndex(({ key }) => key === focusedKey);

  const onKeyDown = (event: KeyboardEvent) => {
    const element = scroller.current;
    if (!element || !isOfList(event)) return;
    if (moveFocus(event, element)) {
      event.preventDefault();
      return;
    }
    const place = placeOfKey(event, rows, isComplete);
    const step = stepOfKey(event, element.clientHeight);
    if (!place && step === 0) return;
    event.preventDefault();
    if (place) show(place);
    else element.scrollBy({ top: step, behavior: "instant" });
  };

  return (
    <div
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls does so by keyboard too
      tabIndex={0}
      className={clsx(
        "flex min-h-0 grow flex-col overflow-y-auto overscroll-contain [overflow-anchor:none]",
        // The room that unmeasured rows take up is an estimate.
        !isMeasured && "invisible",
      )}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={() => setFocusedKey(null)}
    >
      {!isFromTop && <div aria-hidden className="grow" />}
      {rows.length === 0 && empty}
      <Virtualizer
        ref={virtualizer}
        data={rows}
        shift={isShift}
        {...(heights && { cache: heights })}
        itemSize={USUAL_ROW_PX}
        bufferSize={isAtRest ? RENDERED_AHEAD_PX : 0}
        keepMounted={focused === -1 ? ahead : [...ahead, focused]}
        onResize={() => {
          setIsMeasured(true);
          onResize();
          noteResize();
        }}
      >
        {(row, index) => (
          <div key={row.key} data-row={row.key}>
            {children(row, index)}
          </div>
        )}
      </Virtualizer>
      <div aria-hidden className="h-3 shrink-0" />
    </div>
  );
}

type Press = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

const hasModifier = ({ altKey, ctrlKey, metaKey, shiftKey }: Press) =>
  altKey || ctrlKey || metaKey || shiftKey;

/**
 * Returns the place to which Home or End leads in a list, or null for any other key. The browser's own scroll
 * would stop short at rows added meanwhile.
 */
export function placeOfKey(press: Press, rows: readonly ListRow[], isComplete: boolean): Place | null {
  const { key } = press;
  if (hasModifier(press)) return null;
  if (key === "End" && isComplete) return "end";
  const row = key === "Home" ? rows[0] : key === "End" ? rows.at(-1) : undefined;
  return row ? { key: row.key, align: "start" } : null;
}

/** The fraction of a page that one press scrolls. */
const PAGE_SHARE = 0.875;

/**
 * Returns how far PageUp or PageDown scrolls a view of `room` pixels, or 0 for any other key. The list
 * scrolls at once, because the browser's own scroll would stop short.
 */
export function stepOfKey(press: Press, room: number): number {
  if (hasModifier(press)) return 0;
  const page = Math.round(room * PAGE_SHARE);
  return press.key === "PageUp" ? -page : press.key === "PageDown" ? page : 0;
}

const ITEM = "[data-post]";

function isInView(item: HTMLElement, list: HTMLElement): boolean {
  const { top, bottom } = item.getBoundingClientRect();
  const view = list.getBoundingClientRect();
  return bottom > view.top && top < view.bottom;
}

/**
 * Moves the focus from one message of a list to the next with the arrow keys, and from the list itself to the
 * last or first message in view. Returns false if the key has another purpose or there is no message on that
 * side.
 */
function moveFocus(press: Press & { target: EventTarget }, list: HTMLElement): boolean {
  const { key, target } = press;
  if (hasModifier(press) || (key !== "ArrowUp" && key !== "ArrowDown") || !(target instanceof Element))
    return false;
  const items = [...list.querySelectorAll<HTMLElement>(ITEM)];
  const present = items.findIndex((item) => item.contains(target));
  const next =
    present !== -1
      ? items[present + (key === "ArrowUp" ? -1 : 1)]
      : items.filter((item) => isInView(item, list)).at(key === "ArrowUp" ? -1 : 0);
  if (!next) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

/**
 * Returns whether the rows in view have been measured and painted since the opening. Rows out of view wait
 * for that; otherwise a phone would draw three screens before it shows the first message.
 */
function useFirstRest(): { isAtRest: boolean; onResize: () => void } {
  const [isAtRest, setIsAtRest] = useState(false);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return {
    isAtRest,
    onResize() {
      if (isAtRest) return;
      cancelAnimationFrame(frame.current);
      // The second frame begins once the first has been painted.
      frame.current = requestAnimationFrame(() => {
        frame.current = requestAnimationFrame(() => {
          // If the stored looks were dropped earlier, some frames would show no message.
          dropLooks();
          startTransition(() => setIsAtRest(true));
        });
      });
    },
  };
}

/**
 * Returns the indexes of the rows up to `pixels` above and below the view, updated in the frame of a scroll;
 * those at the start of the list while `pixels` is 0. The virtualizer alone renders ahead only in the scroll
 * direction and when React schedules it, so a fast scroll outruns it.
 */
function useRowsAhead(
  scroller: RefObject<HTMLElement | null>,
  virtualizer: RefObject<VirtualizerHandle | null>,
  rows: readonly ListRow[],
  pixels: number,
  atStart: RowRange,
): number[] {
  const [{ first, last }, setRange] = useState(atStart);
  // The virtualizer's listener was added in its layout effect, so it already has the new offset.
  useEffect(() => {
    const element = scroller.current;
    if (!element || pixels === 0) return;
    const setNear = () => {
      const handle = virtualizer.current;
      if (!handle) return;
      const { scrollTop, clientHeight } = element;
      const first = rows[handle.findItemIndex(scrollTop - pixels)]?.key ?? "";
      const last = rows[handle.findItemIndex(scrollTop + clientHeight + pixels)]?.key ?? "";
      setRange((range) => (range.first === first && range.last === last ? range : { first, last }));
    };
    const onScroll = () => flushSync(setNear);
    startTransition(setNear);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [scroller, virtualizer, rows, pixels]);

  const from = rows.findIndex(({ key }) => key === first);
  const to = rows.findIndex(({ key }) => key === last);
  return from === -1 || to === -1 ? [] : Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

/** Returns the heights that the rows had when they were last shown, and stores them when the list closes. */
function useStoredHeights(
  virtualizer: RefObject<VirtualizerHandle | null>,
  rows: readonly ListRow[],
): CacheSnapshot | undefined {
  const [heights] = useState(() => storedHeights(rows));
  const latest = useRef(rows);
  latest.current = rows;
  useLayoutEffect(() => {
    const handle = virtualizer.current;
    return () => {
      if (handle) storeHeights(latest.current, handle.cache);
    };
  }, [virtualizer]);
  return heights;
}

/** Returns whether the latest change of the rows inserted some before the first one. */
function useIsShift(rows: readonly ListRow[]): boolean {
  const [known, setKnown] = useState({ rows, isShift: false });
  if (known.rows === rows) return known.isShift;
  const isShift = isPrepend(known.rows, rows);
  setKnown({ rows, isShift });
  return isShift;
}

/** Returns whether rows were inserted before the first one. */
export function isPrepend(before: readonly ListRow[], after: readonly ListRow[]): boolean {
  const first = before[0]?.key;
  return first !== undefined && after[0]?.key !== first && after.some(({ key }) => key === first);
}
