import type { Call, CallOptions } from "./request.ts";

/** The optional query fields of a method; `per_page` is called `perPage`. */
export type Wanted<Q extends { per_page?: number | undefined }> = CallOptions &
  Partial<Omit<Q, "per_page">> & { perPage?: number };

/** Returns the call that requests a page. */
export function callForPage(wanted: CallOptions & { perPage?: number }): Call {
  const { perPage, signal, ...query } = wanted;
  return { query: { ...query, per_page: perPage }, ...(signal && { signal }) };
}

/** Yields the items of numbered pages, fetching each page when it is needed. */
export async function* eachOfPages<T>(
  read: (page: number) => Promise<{ items: readonly T[]; hasMore: boolean }>,
): AsyncGenerator<T, void, undefined> {
  for (let page = 0; ; page++) {
    const { items, hasMore } = await read(page);
    yield* items;
    if (!hasMore) return;
  }
}
