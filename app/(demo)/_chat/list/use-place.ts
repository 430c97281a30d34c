"use client";

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import type { VirtualizerHandle } from "virtua";
import { onHoldPlace } from "../../_ui/folded.tsx";
import { type ListRow, type ListView, type Place, viewOf } from "./list-handle.ts";
import { type LastView, placeAfterScroll, ROUNDING_PX } from "./place-after-scroll.ts";
import { offsetOf, placeInView, type ScrollAnchor } from "./place-in-view.ts";

type PlaceOptions = {
  scroller: RefObject<HTMLDivElement | null>;
  virtualizer: RefObject<VirtualizerHandle | null>;
  rows: readonly ListRow[];
  /** The place where the list opens. */
  start: Place;
  /** True if the last row is the newest that exists. */
  isComplete: boolean;
  onView: (view: ListView) => void;
};

/**
 * Holds a list's place while rows are added and grow: the place it was moved to or, after the reader's own
 * scroll, the first row in view, or the end if they reached it.
 */
export function usePlace({ scroller, virtualizer, rows, start, isComplete, onView }: PlaceOptions) {
  const place = useRef<ScrollAnchor | null>(start);
  const known = useRef<LastView | null>(null);
  const isMeasured = useRef(false);
  const isReading = useRef(false);
  const frame = useRef(0);
  // No effect events, because functions that the list's handlers call also read it.
  const latest = useRef({ rows, isComplete, onView });
  latest.current = { rows, isComplete, onView };

  const know = useCallback(() => {
    const element = scroller.current;
    const offsets = virtualizer.current;
    if (!element || !offsets) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const inView = placeInView(latest.current.rows, element, offsets);
    known.current = { scrollTop, scrollHeight, clientHeight, inView };
  }, [scroller, virtualizer]);

  const keep = useCallback(() => {
    const element = scroller.current;
    const offsets = virtualizer.current;
    if (!element || !offsets) return;
    const offset = place.current && offsetOf(place.current, latest.current.rows, element, offsets);
    if (offset === null) place.current = placeInView(latest.current.rows, element, offsets);
    else if (Math.abs(offset - element.scrollTop) >= ROUNDING_PX) element.scrollTop = offset;
    know();
  }, [scroller, virtualizer, know]);

  const judge = useCallback(() => {
    const element = scroller.current;
    if (!element || !isMeasured.current) return;
    const view = viewOf(element);
    isReading.current = view.isAtEnd && latest.current.isComplete;
    latest.current.onView(view);
  }, [scroller]);

  const takePlaceInView = useCallback(() => {
    const element = scroller.current;
    const offsets = virtualizer.current;
    if (!element || !offsets || !isMeasured.current) return;
    const { rows, isComplete } = latest.current;
    const isAtEnd = isComplete && viewOf(element).isAtEnd;
    place.current = isAtEnd ? "end" : placeInView(rows, element, offsets);
  }, [scroller, virtualizer]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // The browser also scrolls a list whose size changed.
      if (known.current?.scrollHeight !== scrollHeight || known.current.clientHeight !== clientHeight) keep();
      else if (Math.abs(scrollTop - known.current.scrollTop) > ROUNDING_PX) takePlaceInView();
      know();
      judge();
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [scroller, know, keep, takePlaceInView, judge]);

  // An element that a reader expands stays where it is and grows downwards, even at the end of the list.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    return onHoldPlace(element, (grown) => {
      const row = grown.closest<HTMLElement>("[data-row]");
      if (!row?.dataset.row) return;
      const inset = row.getBoundingClientRect().top - element.getBoundingClientRect().top;
      place.current = { key: row.dataset.row, inset };
      isReading.current = false;
    });
  }, [scroller]);

  // A list or rows that change their size can move the end into view or out of it without a scroll. A list
  // that showed its end keeps showing it if another element takes some of its space.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let { clientWidth, clientHeight } = element;
    const observer = new ResizeObserver(() => {
      const isResized = element.clientWidth !== clientWidth || element.clientHeight !== clientHeight;
      ({ clientWidth, clientHeight } = element);
      if (isResized && isReading.current) place.current = "end";
      if (place.current === "end") keep();
      judge();
    });
    for (const sized of [element, ...element.children]) observer.observe(sized);
    return () => observer.disconnect();
  }, [scroller, keep, judge]);

  // All rows in view are measured a frame later. A place that nothing has replaced by then counts as reached:
  // a row near an edge can't reach the wanted position, and must not move there once rows are added beyond
  // it. A list that shows its end by then keeps showing it.
  const judgeSoon = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      judge();
      frame.current = requestAnimationFrame(() => {
        const held = place.current;
        const element = scroller.current;
        const offsets = virtualizer.current;
        if (!held || held === "end" || "inset" in held || !element || !offsets || !isMeasured.current) return;
        const top = offsetOf({ key: held.key, inset: 0 }, latest.current.rows, element, offsets);
        if (isReading.current) place.current = "end";
        else if (top !== null) place.current = { key: held.key, inset: top - element.scrollTop };
      });
    });
  }, [judge, scroller, virtualizer]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const onResize = useCallback(() => {
    isMeasured.current = true;
    keep();
    judgeSoon();
  }, [keep, judgeSoon]);

  const shownNewest = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const newest = rows.at(-1)?.key;
    if (newest !== shownNewest.current && isReading.current) place.current = "end";
    shownNewest.current = newest;
    keep();
    judgeSoon();
    const element = scroller.current;
    // Must run before the next rows move anything, so that they do not undo a scroll whose event is still
    // pending.
    return () => {
      if (!element || !known.current || !isMeasured.current) return;
      const held = placeAfterScroll(place.current, known.current, element);
      if (place.current === "end" && held !== "end") isReading.current = false;
      place.current = held;
    };
  }, [rows, scroller, keep, judgeSoon]);
  useEffect(() => {
    if (isComplete) judgeSoon();
  }, [isComplete, judgeSoon]);

  const show = useCallback(
    (wanted: Place) => {
      place.current = wanted;
      keep();
      judgeSoon();
    },
    [keep, judgeSoon],
  );
  return { onResize, show };
}
