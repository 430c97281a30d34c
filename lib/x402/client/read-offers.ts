import { decodeBase64Json } from "../base64-json.ts";
import { HEADER_PAYMENT } from "../header.ts";
import { readJson } from "../read-json.ts";

const MAX_HEADER_CHARACTERS = 65_536;
const MAX_OFFERS = 50;

/** The entries of `accepts` as the server sent them, from the body of a 402 answer or else from its header; none is fine. */
export async function readOffers(response: Response): Promise<unknown[]> {
  const fromBody = acceptsOf(await readJson(response));
  return fromBody.length > 0 ? fromBody : acceptsOf(readHeader(response.headers.get(HEADER_PAYMENT)));
}

/** Returns whether a 402 answer says that its payment was used before; the answer stays readable. */
export async function saysReplayed(response: Response): Promise<boolean> {
  const answer = (await readJson(response.clone())) as { code?: unknown } | null;
  return answer?.code === "payment_replayed";
}

function acceptsOf(value: unknown): unknown[] {
  const accepts = (value as { accepts?: unknown } | null | undefined)?.accepts;
  return Array.isArray(accepts) ? accepts.slice(0, MAX_OFFERS) : [];
}

function readHeader(text: string | null): unknown {
  try {
    return text === null ? null : decodeBase64Json(text, MAX_HEADER_CHARACTERS);
  } catch {
    // A header of something else: as good as none.
    return null;
  }
}
