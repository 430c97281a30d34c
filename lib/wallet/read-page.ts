/** Maximum bytes to read from a page. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum characters for an agent's context. */
const MAX_CHARACTERS = 100_000;

const textTypes = /^(text\/|application\/([\w.+-]+\+)?(json|xml|javascript|yaml)\b)/i;

/** A page as an agent reads it. */
export type PageAnswer = {
  status: number;
  contentType: string;
  /** The target of a redirect, which is not followed. */
  location?: string;
  /** `text`, or `base64` for anything else. */
  encoding: "text" | "base64";
  body: string;
  /** True if the page is longer than `body`. */
  isCut: boolean;
};

/** Reads a page to its end, which completes its delivery, up to 8 MiB. @throws the errors of the connection */
export async function readPage(response: Response): Promise<PageAnswer> {
  const contentType = response.headers.get("content-type") ?? "";
  const location = response.headers.get("location");
  const { bytes, isWhole } = await readUpTo(response.body, MAX_BYTES);
  const isText = contentType === "" || textTypes.test(contentType);
  const body = isText ? new TextDecoder().decode(bytes) : Buffer.from(bytes).toString("base64");
  return {
    ...{ status: response.status, contentType: contentType.slice(0, 200) },
    ...(location !== null && { location: location.slice(0, 2048) }),
    encoding: isText ? "text" : "base64",
    body: body.slice(0, MAX_CHARACTERS),
    isCut: !isWhole || body.length > MAX_CHARACTERS,
  };
}

async function readUpTo(body: ReadableStream<Uint8Array> | null, limit: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > limit) {
      await reader?.cancel();
      return { bytes: Buffer.concat(chunks).subarray(0, limit), isWhole: false };
    }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
