"use client";

import { useEffect, useState } from "react";
import { chatSession } from "./chat-session.ts";

type Resource<T> = { data?: T; error?: unknown };

/**
 * Returns the answer of one of the gateway's GET routes, for a page that shows it once. `retry` requests it
 * again.
 */
export function useResource<T>(path: string): Resource<T> & { retry: () => void } {
  const [resource, setResource] = useState<Resource<T> & { of?: string }>({});
  const [attempt, setAttempt] = useState(0);
  const asked = `${path} ${attempt}`;

  useEffect(() => {
    const leaving = new AbortController();
    const tell = (answer: Resource<T>) => {
      if (!leaving.signal.aborted) setResource({ ...answer, of: asked });
    };
    chatSession.request<T>(path, { signal: leaving.signal }).then(
      (data) => tell({ data }),
      (error: unknown) => tell({ error }),
    );
    return () => leaving.abort();
  }, [path, asked]);

  const isFresh = resource.of === asked;
  return { ...(isFresh ? resource : {}), retry: () => setAttempt((count) => count + 1) };
}
