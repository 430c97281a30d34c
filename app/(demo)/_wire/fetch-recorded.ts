import { publicHeaders } from "./flow-step.ts";
import { wireLog } from "./wire-log.ts";

/** An address as the record shows it: without the origin where that is the page's own. */
function shorten(address: string): string {
  const origin = globalThis.location?.origin;
  return origin && address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
}

/** `fetch`, written down for the inspector: never bodies, cookies or request headers. */
export async function fetchRecorded(address: string, init: RequestInit): Promise<Response> {
  const startedAt = performance.now();
  const tell = (response: Response | null) =>
    wireLog.addStep({
      kind: "http",
      method: init.method ?? "GET",
      url: shorten(address),
      status: response?.status ?? null,
      ms: performance.now() - startedAt,
      headers: response ? publicHeaders(response.headers) : [],
    });
  try {
    const response = await fetch(address, init);
    tell(response);
    return response;
  } catch (error) {
    tell(null);
    throw error;
  }
}
