export type Reply = {
  kind: "reply";
  status: number;
  headers: Record<string, string | string[]>;
  /** Sent as JSON unless it is bytes. */
  body: unknown;
  /** Answer 304 when the client already has this body. */
  isCacheable: boolean;
};

const plain = { kind: "reply", status: 200, headers: {}, isCacheable: false } as const;

/** Success without a resource. */
export const ok = { status: "OK" };

export function created(body: unknown): Reply {
  return { ...plain, status: 201, body };
}

/** An answer with an `ETag` made of its body. */
export function cacheable(body: unknown): Reply {
  return { ...plain, body, isCacheable: true };
}

export function withHeaders(body: unknown, headers: Reply["headers"]): Reply {
  return { ...plain, headers, body };
}

export function bytes(body: Uint8Array, headers: Reply["headers"], status = 200): Reply {
  return { ...plain, status, headers, body };
}

/** What a handler returned, as a reply: a bare value is a 200 with that JSON. */
export function asReply(value: unknown): Reply {
  const isReply = typeof value === "object" && value !== null && "kind" in value && value.kind === "reply";
  return isReply ? (value as Reply) : { ...plain, body: value };
}
