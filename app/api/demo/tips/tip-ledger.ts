import { z } from "zod";
import { CodedError } from "../../../../lib/errors.ts";
import type { Store } from "../../../../lib/store/store.ts";

/** A repeated delivery comes soon after the first one, so the newest tips are enough to know it by. */
const MAX_KNOWN = 200;
const MAX_TRIES = 20;

const Tips = z.object({ count: z.number(), millis: z.number(), known: z.array(z.string()) });
type Tips = z.infer<typeof Tips>;

const keyOf = (postId: string) => `demo:tips:${postId}`;
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
    const next: Tips = {
      count: present.count + 1,
      millis: present.millis + tip.millis,
      known: [...present.known, tip.txId].slice(-MAX_KNOWN),
    };
    const isDone =
      text === null
        ? await store.setIfAbsent(keyOf(postId), JSON.stringify(next))
        : await store.replace(keyOf(postId), text, JSON.stringify(next));
    if (isDone) return next;
  }
  throw new CodedError("overloaded");
}

const parse = (text: string | null): Tips => (text === null ? none : Tips.parse(JSON.parse(text)));
