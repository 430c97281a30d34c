import type { Call, CallOptions } from "./request.ts";

type PageLength = CallOptions & {
  /** Number of entries. */
  perPage?: number;
};

/**
 * Selects the posts of a page. The first four options are mutually exclusive; without any, a page holds the
 * newest posts.
 */
export type PageOptions = {
  /** The posts before this one. */
  before?: string;
  /** The posts after this one. */
  after?: string;
  /** This post, and the posts on both sides of it. */
  around?: string;
  /** The root of a thread: returns it and its replies. */
  thread?: string;
} & PageLength;

/** Selects a page of a list whose pages are numbered. */
export type NumberedPage = {
  /** Counted from 0. */
  page?: number;
} & PageLength;

/** Selects a page of the entries that match `q`, or of all entries. */
export type MatchingPage = { q?: string } & NumberedPage;

export type ThreadsOptions = {
  /** The threads whose last reply is older than that of this one. */
  before?: string;
  /** True leaves out read threads. */
  unread?: boolean;
} & PageLength;

/** Returns the call that requests a page. */
export function callForPage(wanted: PageLength): Call {
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
