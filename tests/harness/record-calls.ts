import type { Fetch } from "../../lib/chat-client/index.ts";

/** Creates a `fetch` that gives the same answer to all calls, and records them. */
export function recordCalls(answer: () => Response = () => Response.json({})) {
  const calls: Array<{ address: string; init: RequestInit }> = [];
  const fetch: Fetch = async (address, init) => {
    calls.push({ address, init });
    return answer();
  };
  return { calls, fetch };
}
