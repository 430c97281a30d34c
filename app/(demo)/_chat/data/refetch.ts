import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Reads anew what is kept under a key. The library takes a first reading that is under way for the new one, though it
 * began before what made that necessary: another follows it, unless it failed, which is shown with a way to try again.
 */
export async function refetch(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const queries = cache.getQueryCache().findAll({ queryKey });
  await Promise.allSettled(
    queries.map(async (query) => {
      const { data, fetchStatus } = query.state;
      if (data === undefined && fetchStatus === "fetching") await query.promise;
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  );
}
