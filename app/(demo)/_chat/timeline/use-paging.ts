"use client";

import { useCallback, useEffect, useRef } from "react";
import type { useTimeline } from "../data/use-timeline.ts";

/** Asks for older and newer pages one after the other: asking for one while the other is under way would cancel it. */
export function usePaging(pages: ReturnType<typeof useTimeline>) {
  const latest = useRef(pages);
  latest.current = pages;
  const wanted = useRef({ older: false, newer: false });

  const fetchWanted = useCallback(() => {
    const { isFetching, hasPreviousPage, fetchPreviousPage, hasNextPage, fetchNextPage } = latest.current;
    if (isFetching) return;
    wanted.current.older &&= hasPreviousPage;
    wanted.current.newer &&= hasNextPage;
    if (wanted.current.older) {
      wanted.current.older = false;
      void fetchPreviousPage();
    } else if (wanted.current.newer) {
      wanted.current.newer = false;
      void fetchNextPage();
    }
  }, []);

  const { isFetching } = pages;
  useEffect(() => {
    if (!isFetching) fetchWanted();
  }, [isFetching, fetchWanted]);

  const ask = useCallback(
    (direction: "older" | "newer") => {
      wanted.current[direction] = true;
      fetchWanted();
    },
    [fetchWanted],
  );
  return ask;
}
