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

/** The bytes of a body of at most `limit`; `null` for a longer one, of which no more is read. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    size += next.value.length;
    if (size > limit) {
      await reader?.cancel();
      return null;
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}
