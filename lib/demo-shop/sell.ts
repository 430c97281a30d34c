import { z } from "zod";
import { networkNames } from "../chains.ts";
import { readVisiblePost } from "../chat/posts/post.ts";
import { openSession } from "../chat/session/session.ts";
import { TipQuery } from "../contract/requests.ts";
import { CodedError } from "../errors.ts";
import { assertSameSite } from "../http/headers.ts";
import { readToken } from "../http/token.ts";
import { log } from "../log.ts";
import { deriveSecrets } from "../secret.ts";
import type { Services } from "../services/services.ts";
import type { Store } from "../store/store.ts";
import { formatMillis, parseMillis } from "../x402/amount.ts";
import { withPaywall } from "../x402/next.ts";
import { type AccessOptions, findPurchase, subjectOf } from "../x402/paywall/access.ts";
import type { PaywallOptions } from "../x402/paywall/index.ts";
import { ARTICLE_PRICE } from "./articles.ts";

/** What is asked for, and whom to pay; an article of the shop unless told otherwise. */
type Terms = Pick<PaywallOptions<Request>, "description"> &
  Partial<Pick<PaywallOptions<Request>, "amount" | "receivingAccount">> & {
    /** Under which name it is bought once for all; without it every answer is paid for. */
    boughtAs?: string;
  };

/** Ten years: bought is bought. */
const KEPT_FOR = "3650d";

const SELLER = "shop";

type Sold<C> = (
  services: Services,
  request: Request,
  context: C & { payer: string; txId: string },
) => Response | Promise<Response>;

/** Puts a handler of this app behind its own paywall: one a gateway, created with its first request. */
export function sell<C extends object>(key: string, { boughtAs, ...terms }: Terms, handler: Sold<C>) {
  return async (services: Services, request: Request, context: C): Promise<Response> => {
    // Told before anybody is asked to pay.
    await services.requireStore();
    const guarded = services.own(`paywall.${key}`, () =>
      withPaywall<Request, C>(
        {
          ...commonTerms(services),
          ...terms,
          ...(boughtAs !== undefined && { access: accessFor(services, boughtAs) }),
          mimeType: "application/json",
        },
        (sold, paid) => handler(services, sold, paid),
      ),
    );
    return guarded(request, context);
  };
}

function commonTerms(services: Services) {
  const { hive, x402, sessionSecret, sandbox, publicUrl } = services.config;
  const [secret, previousSecret] = deriveSecrets(sessionSecret, "x402 offers");
  return {
    amount: ARTICLE_PRICE,
    receivingAccount: SELLER,
    network: x402.network,
    chainId: hive.chainId,
    nodes: hive.nodes,
    store: services.store,
    secret,
    ...(previousSecret && { previousSecret }),
    // On the sandbox the address is whatever the visitor typed.
    ...(!sandbox && { publicUrl }),
    ...(x402.facilitatorUrl
      ? { facilitatorUrl: x402.facilitatorUrl }
      : { facilitator: ownFacilitator(services) }),
    onFault: (error: unknown) => log().error({ err: error }, "paid handler failed"),
  };
}

const ownFacilitator = (services: Services): NonNullable<PaywallOptions["facilitator"]> => ({
  verify: (request) => services.facilitator().facilitator.verify(request),
  settle: (request, options) => services.facilitator().facilitator.settle(request, options),
});

const accessFor = (services: Services, key: string): AccessOptions<Request> => ({
  for: KEPT_FOR,
  key,
  account: (request) => accountOf(services, request),
});

/** Who is signed in to this gateway, by the request's cookie; null for nobody. @throws CodedError `degraded` */
export async function accountOf(services: Services, request: Request): Promise<string | null> {
  if (!request.headers.has("cookie")) return null;
  const { authenticator, cookie } = await services.authentication();
  try {
    return await authenticator.accountOf(await cookie.read(request));
  } catch (error) {
    if (error instanceof CodedError && error.code === "unauthorized") return null;
    throw error;
  }
}

/** The receipt of what an account has bought under a name of `boughtAs`; null for nothing. @throws CodedError `degraded` */
export async function receiptFor(services: Services, account: string, key: string) {
  await services.requireStore();
  const subject = subjectOf(networkNames(services.config.hive.chainId), key);
  const purchase = await findPurchase(services.store, account, subject).catch((cause: unknown) => {
    throw new CodedError("degraded", { cause });
  });
  if (!purchase) return null;
  const { settlement, amount, paidAt } = purchase;
  const { payer = account, txId = "", blockNum = null, network = "" } = settlement;
  return { payer, txId, blockNum, network, amount, paidAt };
}

/** Takes the tip that a checked address describes, to the account in it, and counts it where it is for a message. */
export const payTip = sell<object>(
  "tips",
  {
    description: "A tip",
    amount: (request) => amountOf(request),
    receivingAccount: (request) => tipOf(request).to,
  },
  async ({ store }, request, { payer, txId }) => {
    const { to, post } = tipOf(request);
    const tip = { to, amount: amountOf(request), payer, txId };
    if (post === undefined) return Response.json(tip);
    const sums = await recordTip(store, post, { txId, millis: parseMillis(tip.amount) ?? 0 });
    return Response.json({ ...tip, post, count: sums.count, total: formatMillis(sums.millis) });
  },
);

const tipOf = (request: Request) => TipQuery.parse(Object.fromEntries(new URL(request.url).searchParams));

const amountOf = (request: Request) => `${tipOf(request).amount} HBD`;

/**
 * Checks that the account's own chat user wrote the message, whatever name that one bears, for a caller who may read
 * it: to anybody else the author of a message is none of their business, and strangers may read none.
 * @throws CodedError `unauthorized` without a chat token; `not_found` for a message that is not there or that the caller
 * may not read; `invalid_request` for somebody else's
 */
export async function checkAuthor(
  services: Services,
  request: Request,
  postId: string,
  account: string,
): Promise<void> {
  const { pat, carrier } = readToken(request.headers);
  if (carrier === "cookie") assertSameSite(request, services.http);
  const session = await openSession(services.chat, pat, request.signal);
  const post = await readVisiblePost(session, postId);
  if ((await session.gateway.identities.accountOf(post.user_id)) !== account)
    throw new CodedError("invalid_request", {
      issues: [{ path: "to", message: "did not write this message" }],
    });
}

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
