"use client";

import { useCallback, useEffect, useState } from "react";

export type Loaded<T> =
  | { status: "loading"; data: null; error: null }
  | { status: "ready"; data: T; error: null }
  | { status: "failed"; data: null; error: unknown };

const loading = { status: "loading", data: null, error: null } as const;

/**
 * Loads a value when `key` changes, unless `key` is null, and on request. An answer that arrives too late is
 * dropped.
 */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>) {
  const [answer, setAnswer] = useState<{ key: string; loaded: Loaded<T> } | null>(null);
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says what `load` loads, `round` asks again
  useEffect(() => {
    if (key === null) return;
    const leaving = new AbortController();
    const settle = (loaded: Loaded<T>) => {
      if (!leaving.signal.aborted) setAnswer({ key, loaded });
    };
    load(leaving.signal).then(
      (data) => settle({ status: "ready", data, error: null }),
      (error: unknown) => settle({ status: "failed", data: null, error }),
    );
    return () => leaving.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((value) => value + 1), []);
  const state: Loaded<T> = answer && answer.key === key ? answer.loaded : loading;
  return { ...state, reload };
}
