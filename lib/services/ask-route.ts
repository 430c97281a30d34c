import { headers } from "next/headers";
import { answerWithin } from "../async/time-limits.ts";
import { CLIENT_ADDRESS_HEADER } from "../http/client-address.ts";
import type { RouteFunction } from "../http/route-table.ts";

const OF_READER = ["cookie", "host", "traceparent", CLIENT_ADDRESS_HEADER];

/**
 * Calls a route of this app within the process, for server components that show the gateway's answers. The
 * call has the cookies, address and quotas of the browser that requested the page. `path` starts with a slash
 * and can have a query.
 * @throws Error after `deadlineMs`, when the call is aborted
 */
export async function askRoute(
  route: RouteFunction,
  path: string,
  { params, deadlineMs }: { params: Record<string, string>; deadlineMs: number },
): Promise<Response> {
  const asked = await headers();
  const own = OF_READER.flatMap((name): Array<[string, string]> => {
    const value = asked.get(name);
    return value === null ? [] : [[name, value]];
  });
  const late = new AbortController();
  const request = new Request(`http://localhost${path}`, {
    headers: [...own, ["sec-fetch-site", "same-origin"]],
    signal: late.signal,
  });
  try {
    return await answerWithin(deadlineMs, () => route(request, { params: Promise.resolve(params) }));
  } catch (error) {
    late.abort();
    throw error;
  }
}
