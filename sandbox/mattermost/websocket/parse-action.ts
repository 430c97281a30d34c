import { z } from "zod";
import { decodeMessagePack } from "./message-pack.ts";

/** A field that is null counts as left out, and a missing one as empty: the router refuses that with a reply. */
const Action = z
  .object({
    seq: z.int().nullish(),
    action: z.string().nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
  })
  .nullable()
  .transform((frame) => ({
    seq: frame?.seq ?? 0,
    action: frame?.action ?? "",
    data: frame?.data ?? {},
  }));

export type Action = z.infer<typeof Action>;

/** A client's frame: JSON in text, MessagePack in binary. Null when it is not of the protocol at all. */
export function parseAction(frame: Buffer, isBinary: boolean): Action | null {
  try {
    const value = isBinary ? decodeMessagePack(frame) : JSON.parse(frame.toString("utf8"));
    return Action.safeParse(value).data ?? null;
  } catch {
    // No JSON or MessagePack: the caller cuts the connection.
    return null;
  }
}
