import type { FetchNextPageOptions } from "@tanstack/react-query";

type FetchPage = (options: FetchNextPageOptions) => Promise<{
  data: { pages: readonly unknown[] } | undefined;
  isError: boolean;
}>;

/**
 * Fetches one page more than the `loaded` ones. While the loaded pages are read again, it waits: the library would cancel
 * that reading and take the pages as they are for its answer.
 */
export async function fetchFurther(fetchPage: FetchPage, loaded: number): Promise<void> {
  const { data, isError } = await fetchPage({ cancelRefetch: false });
  const hasJoinedReading = !isError && data !== undefined && data.pages.length <= loaded;
  if (hasJoinedReading) await fetchPage({ cancelRefetch: false });
}
