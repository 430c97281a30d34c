import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { Store } from "../store/store.ts";

/** The newest tips stand with the sums; those before have a mark of their own, as long as a paywall may deliver again. */
const MAX_KNOWN = 200;
const MARKED_SECONDS = 31 * 24 * 3600;
const MAX_TRIES = 20;

const Tips = z.object({ count: z.number(), millis: z.number(), known: z.array(z.string()) });
type Tips = z.infer<typeof Tips>;

const keyOf = (postId: string) => `demo:tips:${postId}`;
const markOf = (postId: string, txId: string) => `demo:tip:${postId}:${txId}`;
const none: Tips = { count: 0, millis: 0, known: [] };

/** How often a message was tipped, and how much in 1/1000 HBD. */
export async function readTips(store: Store, postId: string): Promise<Pick<Tips, "count" | "millis">> {
  return parse(await store.get(keyOf(postId)));
}

/**
 * Counts a tip, once however often it is told, also between processes; gives the sums with it.
 * @throws CodedError `overloaded`
 */
export async function recordTip(
  store: Store,
  postId: string,
  tip: { txId: string; millis: number },
): Promise<Pick<Tips, "count" | "millis">> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = await store.get(keyOf(postId));
    const present = parse(text);
    if (present.known.includes(tip.txId)) return present;
    const hasMarks = present.count > present.known.length;
    if (hasMarks && (await store.get(markOf(postId, tip.txId))) !== null) return present;
    const known = [...present.known, tip.txId];
    // Marked before it leaves the list, so that a crash in between leaves a mark too many and none too few.
    for (const txId of known.splice(0, known.length - MAX_KNOWN))
      await store.set(markOf(postId, txId), "", MARKED_SECONDS);
    const next: Tips = { count: present.count + 1, millis: present.millis + tip.millis, known };
    const isDone =
      text === null
        ? await store.setIfAbsent(keyOf(postId), JSON.stringify(next))
        : await store.replace(keyOf(postId), text, JSON.stringify(next));
    if (isDone) return next;
  }
  throw new CodedError("overloaded");
}

const parse = (text: string | null): Tips => (text === null ? none : Tips.parse(JSON.parse(text)));
