"use client";

import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { ListHandle, ListRow, ListView, Place } from "./list-handle.ts";
import { moveFocus, placeOfKey, stepOfKey } from "./place-of-key.ts";
import { useIsShift, useRowsAhead } from "./rows-ahead.ts";
import { usePlace } from "./use-place.ts";

const RENDERED_AHEAD_PX = 1_200;

type MessageListProps<Row extends ListRow> = {
  ref: Ref<ListHandle>;
  label: string;
  rows: readonly Row[];
  start: Place;
  /** The last row is the newest that there is. */
  isComplete: boolean;
  /** Shown where there is no row. */
  empty?: ReactNode;
  onView?: (view: ListView) => void;
  children: (row: Row, index: number) => ReactNode;
};

const ignore = () => undefined;

/** Dialogs and menus of a row are elsewhere in the page; a text field has a use of its own for the keys. */
const isOfList = ({ target, currentTarget }: KeyboardEvent) =>
  target instanceof Element &&
  currentTarget.contains(target) &&
  !target.closest("input, textarea, select, [role=menu]");

/** A scrolling log of messages, of which only those near the view exist; few of them stand at its lower edge. */
export function MessageList<Row extends ListRow>({
  ref,
  label,
  rows,
  start,
  isComplete,
  empty,
  onView = ignore,
  children,
}: MessageListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  const isShift = useIsShift(rows);
  const ahead = useRowsAhead(scroller, virtualizer, rows, RENDERED_AHEAD_PX);
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

  // A row that scrolls away with the focus in it would take the focus along.
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
      className="flex min-h-0 grow flex-col overflow-y-auto overscroll-contain [overflow-anchor:none]"
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={() => setFocusedKey(null)}
    >
      <div aria-hidden className="grow" />
      {rows.length === 0 && empty}
      <Virtualizer
        ref={virtualizer}
        data={rows}
        shift={isShift}
        bufferSize={RENDERED_AHEAD_PX}
        keepMounted={focused === -1 ? ahead : [...ahead, focused]}
        onResize={onResize}
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
