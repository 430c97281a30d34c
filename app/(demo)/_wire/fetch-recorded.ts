import { publicHeaders } from "./public-headers.ts";
import { wireLog } from "./wire-log.ts";

/** `fetch` for the gateway's routes, written down for the inspector: never bodies, cookies or request headers. */
export async function fetchRecorded(path: string, init: RequestInit): Promise<Response> {
  const startedAt = performance.now();
  const tell = (response: Response | null) =>
    wireLog.addStep({
      kind: "http",
      method: init.method ?? "GET",
      url: path,
      status: response?.status ?? null,
      ms: performance.now() - startedAt,
      headers: response ? publicHeaders(response.headers) : [],
    });
  try {
    const response = await fetch(path, init);
    tell(response);
    return response;
  } catch (error) {
    tell(null);
    throw error;
  }
}
