import type { FetchNextPageOptions } from "@tanstack/react-query";

type FetchPage = (options: FetchNextPageOptions) => Promise<{
  data: { pages: readonly unknown[] } | undefined;
  isError: boolean;
}>;

/**
 * Fetches one page beyond the `loaded` ones. It waits while the loaded pages are being refetched, because the
 * library would cancel the refetch and take the present pages as its answer.
 */
export async function fetchFurther(fetchPage: FetchPage, loaded: number): Promise<void> {
  const { data, isError } = await fetchPage({ cancelRefetch: false });
  const hasJoinedReading = !isError && data !== undefined && data.pages.length <= loaded;
  if (hasJoinedReading) await fetchPage({ cancelRefetch: false });
}
