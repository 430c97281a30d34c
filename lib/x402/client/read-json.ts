const MAX_BODY_BYTES = 65_536;

/** The JSON of an answer of at most 64 KiB; `null` for what is longer, or no JSON: a page for people, say. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.bodyUsed || !response.body) return null;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
  try {
    return JSON.parse(text + decoder.decode());
  } catch {
    // No JSON.
    return null;
  }
}
