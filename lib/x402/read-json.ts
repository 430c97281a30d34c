import { readBytes } from "./read-bytes.ts";

const MAX_BODY_BYTES = 65_536;

/** The JSON of an answer of at most 64 KiB; `null` for what is longer, or no JSON: a page for people, say. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.bodyUsed) return null;
  const bytes = await readBytes(response.body, MAX_BODY_BYTES);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // No JSON.
    return null;
  }
}
