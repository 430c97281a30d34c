/** Marks an answer of which only half has arrived. */
const CUT = "x-cut";

/** Content that fails after its first part. */
export const breakingContent = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
    pull: (controller) => controller.error(new Error("out of order")),
  });

/** Reads the first part of an answer and disconnects, so that the caller never sees the whole answer. */
export async function leaveEarly(response: Response): Promise<undefined> {
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  return undefined;
}

/** Returns the half of an answer that has arrived, as the network carries it. */
export function halfOf({ status, headers }: Response): Response {
  const half = new Response("half", { status, headers });
  half.headers.set(CUT, "yes");
  return half;
}

/** Returns an answer as its reader sees it: the body of a half answer breaks off. */
export function asRead({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Record<string, string>;
  body: string;
}): Response {
  return new Response(headers[CUT] === undefined ? body : breakingContent(), { status, headers });
}
