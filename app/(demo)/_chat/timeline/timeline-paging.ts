"use client";

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { useTimeline } from "../data/use-timeline.ts";
import type { ListHandle, ListView } from "../list/list-handle.ts";
import { firstNewOf, type TimelineRow } from "./rows.ts";

/**
 * Fetches older and newer pages while their edge is near, one after the other: asking for one while the other
 * is under way would cancel it. A page that failed waits to be asked for. Returns what is to be told of the view.
 */
export function usePaging(pages: ReturnType<typeof useTimeline>) {
  const latest = useRef(pages);
  latest.current = pages;
  const view = useRef<ListView | null>(null);

  const fetchNear = useCallback(() => {
    const { isFetching, isPaused, isFetchPreviousPageError, isFetchNextPageError } = latest.current;
    const { hasPreviousPage, fetchPreviousPage, hasNextPage, fetchNextPage } = latest.current;
    if (isFetching || isPaused) return;
    if (view.current?.isNearStart && hasPreviousPage && !isFetchPreviousPageError) void fetchPreviousPage();
    else if (view.current?.isNearEnd && hasNextPage && !isFetchNextPageError) void fetchNextPage();
  }, []);

  // A page of replies alone adds no row, and nobody would tell of the view.
  const { data, isFetching } = pages;
  useEffect(() => {
    if (data && !isFetching) fetchNear();
  }, [data, isFetching, fetchNear]);

  return useCallback(
    (seen: ListView) => {
      view.current = seen;
      fetchNear();
    },
    [fetchNear],
  );
}

/** Moves to the first unseen message; where it isn't loaded yet, upwards page by page until it is. */
export function useSeekNew(
  list: RefObject<ListHandle | null>,
  rows: readonly TimelineRow[],
  hasOlder: boolean,
): () => void {
  const [isSeeking, setIsSeeking] = useState(false);
  useEffect(() => {
    if (!isSeeking) return;
    const found = firstNewOf(rows);
    const target = found ?? rows[0];
    if (target) list.current?.show({ key: target.key, align: "start" });
    if (found || !hasOlder) setIsSeeking(false);
  }, [isSeeking, list, rows, hasOlder]);
  return () => setIsSeeking(true);
}
