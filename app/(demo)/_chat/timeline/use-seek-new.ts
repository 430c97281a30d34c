"use client";

import { type RefObject, useEffect, useState } from "react";
import type { ListHandle } from "../list/list-handle.ts";
import { firstNewOf, type TimelineRow } from "./rows.ts";

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
