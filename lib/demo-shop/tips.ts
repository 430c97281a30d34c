import { z } from "zod";
import { networkNames } from "../chains.ts";
import { createCallerContext } from "../chat/caller/caller-context.ts";
import { readVisiblePost } from "../chat/posts/post.ts";
import { MOST_TIPPERS, type Tip, type TipSum, type TipSums } from "../contract/payment-answers.ts";
import { TipQuery, type TipsQuery } from "../contract/requests.ts";
import { CodedError } from "../errors.ts";
import { admitToken } from "../http/route.ts";
import { addMils, formatMils, isMils, type Mils, NO_MILS, parseMils } from "../mils.ts";
import type { Services } from "../services/services.ts";
import type { Store } from "../store/store.ts";
import { findPayment } from "../x402/paywall/answer.ts";
import { createClaims } from "../x402/paywall/claims.ts";
import { parsePaymentHeader } from "../x402/paywall/read-payment.ts";
import { sell } from "./sell.ts";
import { tellTip } from "./tell-tip.ts";

/**
 * Accepts the tip that a checked address names, pays its account, and counts the tip if it is for a message.
 */
const takeTip = sell<object>(
  "tips",
  {
    description: "A tip",
    amount: (request) => amountOf(request),
    receivingAccount: (request) => tipOf(request).to,
  },
  async (services, request, { payer, txId }) => {
    const { store } = services;
    const { to, post, note } = tipOf(request);
    const tip: Tip = { to, amount: amountOf(request), payer, txId, ...(post !== undefined && { post }) };
    const isTold = note === "none" ? undefined : await tellTip(services, request, tip);
    if (isTold !== undefined) tip.isTold = isTold;
    if (post === undefined) return Response.json(tip);
    const sums = await recordTip(store, post, {
      txId,
      payer,
      mils: parseMils(tip.amount) ?? NO_MILS,
    });
    return Response.json({ ...tip, ...toSum(sums) } satisfies Tip);
  },
);

const tipOf = (request: Request) => TipQuery.parse(Object.fromEntries(new URL(request.url).searchParams));

const amountOf = (request: Request) => `${tipOf(request).amount} HBD`;

/**
 * Requests a tip and accepts it. The message's author is checked before anyone is asked to pay.
 * @throws CodedError as `checkAuthor` does; `degraded`, `overloaded`
 */
export async function payTip(
  services: Services,
  request: Request,
  { post, to }: z.infer<typeof TipQuery>,
): Promise<Response> {
  // The message of an accepted payment was checked earlier. Even if it has been deleted since, the tip is
  // paid.
  if (post !== undefined && !(await isTaken(services, request)))
    await checkAuthor(services, request, post, to);
  return takeTip(services, request, {});
}

/**
 * Returns true if a paywall of this gateway has claimed the request's payment. @throws CodedError `degraded`
 */
async function isTaken({ store, config }: Services, { headers }: Request): Promise<boolean> {
  const header = findPayment((name) => headers.get(name));
  const payment = header && parsePaymentHeader(header, networkNames(config.hive.chainId));
  if (payment === null || typeof payment === "string") return false;
  const claim = await createClaims(store)
    .read(payment.id)
    .catch((cause: unknown) => {
      throw new CodedError("degraded", { cause });
    });
  return claim !== null;
}

/**
 * Checks that the account's chat user wrote the message, whatever that user's name, for a caller who is
 * allowed to read it. Others do not learn the author of a message.
 * @throws CodedError as `admitToken` does; `not_found` for a message that does not exist or that the caller
 * cannot read; `invalid_request` for another author's
 */
async function checkAuthor(
  services: Services,
  request: Request,
  postId: string,
  account: string,
): Promise<void> {
  const pat = admitToken(request, services.http);
  const context = await createCallerContext(services.chat, pat, request.signal);
  const post = await readVisiblePost(context, postId);
  services.http.tokens.judge(pat, 200);
  if ((await context.chat.identities.accountOf(post.user_id)) !== account)
    throw new CodedError("invalid_request", {
      issues: [{ path: "to", message: "did not write this message" }],
    });
}

/**
 * The newest tips are stored with the sums. Each older tip leaves a mark for as long as a paywall can deliver
 * its payment again.
 */
const MAX_KNOWN = 200;
const MARKED_SECONDS = 31 * 24 * 3600;
const MAX_TRIES = 20;

/** A message's tips as they are stored. The names of amounts are those of the first version. */
const StoredTips = z.object({
  count: z.number(),
  millis: z.custom<Mils>(isMils),
  known: z.array(z.string()),
  /** Newest first. Tips from versions that did not store tippers are missing. */
  latest: z.array(z.object({ payer: z.string(), millis: z.custom<Mils>(isMils) })).default([]),
});

const Tips = StoredTips.transform(({ millis, latest, ...tips }) => ({
  ...tips,
  mils: millis,
  latest: latest.map((tip) => ({ payer: tip.payer, mils: tip.millis })),
}));
type Tips = z.infer<typeof Tips>;
type ShownTips = Pick<Tips, "count" | "mils" | "latest">;

function toStoredText({ mils, latest, ...tips }: Tips): string {
  const stored: z.infer<typeof StoredTips> = {
    ...tips,
    millis: mils,
    latest: latest.map((tip) => ({ payer: tip.payer, millis: tip.mils })),
  };
  return JSON.stringify(stored);
}

const keyOf = (postId: string) => `demo:tips:${postId}`;
const markOf = (postId: string, txId: string) => `demo:tip:${postId}:${txId}`;
const none: Tips = { count: 0, mils: NO_MILS, known: [], latest: [] };

/** Reads the number of a message's tips, their sum, and the tippers. */
async function readTips(store: Store, postId: string): Promise<ShownTips> {
  return parse(await store.get(keyOf(postId)));
}

const toSum = ({ count, mils, latest }: ShownTips): TipSum => ({
  count,
  total: formatMils(mils),
  tippers: latest.map((tip) => ({ payer: tip.payer, amount: formatMils(tip.mils) })),
});

/**
 * Returns the sums of one message (`post`), or of several (`posts`, comma-separated ids), without those that have no
 * tips.
 */
export async function sumTips(
  store: Store,
  { post, posts = "" }: z.infer<typeof TipsQuery>,
): Promise<TipSum | TipSums> {
  if (post !== undefined) return toSum(await readTips(store, post));
  const ids = [...new Set(posts.split(","))];
  const tips = await Promise.all(ids.map(async (id) => [id, toSum(await readTips(store, id))] as const));
  return { tips: Object.fromEntries(tips.filter(([, { count }]) => count > 0)) };
}

/**
 * Counts a tip once, no matter how often or by which process it is reported, and returns the sums.
 * @throws CodedError `overloaded`
 */
export async function recordTip(
  store: Store,
  postId: string,
  { txId, payer, mils }: { txId: string; payer: string; mils: Mils },
): Promise<ShownTips> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = await store.get(keyOf(postId));
    const present = parse(text);
    if (present.known.includes(txId)) return present;
    const hasMarks = present.count > present.known.length;
    if (hasMarks && (await store.get(markOf(postId, txId))) !== null) return present;
    const known = [...present.known, txId];
    // A tip is marked before it leaves the list, so that a crash in between leaves an extra mark, not a
    // missing one.
    for (const oldest of known.splice(0, known.length - MAX_KNOWN))
      await store.set(markOf(postId, oldest), "", MARKED_SECONDS);
    const next: Tips = {
      count: present.count + 1,
      mils: addMils(present.mils, mils),
      known,
      latest: [{ payer, mils }, ...present.latest].slice(0, MOST_TIPPERS),
    };
    const stored = toStoredText(next);
    const isDone =
      text === null
        ? await store.setIfAbsent(keyOf(postId), stored)
        : await store.replace(keyOf(postId), text, stored);
    if (isDone) return next;
  }
  throw new CodedError("overloaded");
}

const parse = (text: string | null): Tips => (text === null ? none : Tips.parse(JSON.parse(text)));
