import { formatMils, type Mils, NO_MILS } from "../../../lib/mils.ts";
import type { SignTransaction } from "../../../lib/x402/client/index.ts";
import type { ChainHere } from "../_session/chain-here.tsx";
import { signTransactionWithKeychain } from "../_session/keychain.ts";
import { UNFINISHED } from "../_session/person.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import { classify, isUncharged, isUndecided } from "./failure.ts";
import { createWatchedFetch, decodeHeader, type PayStep } from "./flow.ts";
import { readPayment } from "./read-payment.ts";
import { remainingOf, type SpendGuard } from "./spend-guard.ts";
import type { Target } from "./target.ts";
import { dropUnfinished, keepUnfinished, listUnfinished, type Unfinished } from "./unfinished-payments.ts";

/** The payer. A sandbox account's key is public and signs on this page. */
export type Payer = { account: string; activeKey: string | null };

export type Watch = {
  onStep(step: PayStep): void;
  /** Called when a wallet asks its owner; a signature after `leftMs` is too late. */
  onWallet(leftMs: number): void;
  onFlow(step: FlowStep): void;
  /** Called with an amount that now counts as spent. */
  onSpent(mils: Mils): void;
  /** Called with an amount that was counted as spent, if the payment was not charged after all. */
  onUncharged(mils: Mils): void;
  /** Ends the wait for a wallet or for the answer. A payment sent by then can be sent again. */
  signal: AbortSignal;
  /** Called if the wallet signed after the caller stopped waiting; that signature pays nothing. */
  onLate(): void;
};

/** `title`: the subject of the payment. */
type Options = { title: string; payer: Payer; chain: ChainHere; guard: SpendGuard; watch: Watch };

/** Time that a signed payment needs to reach a block before it expires. */
const SETTLING_MS = 15_000;

type Sent = { header: string; mils: Mils; refBlockNum: number };
/** `wasBought`: the payer was admitted for an earlier payment, and this one was not charged. */
type Answer = { response: Response; body: { code?: string }; wasBought: boolean };

/**
 * Signed payments that may be on their way. Until their outcome is known, no other payment is signed in their
 * place.
 */
const underWay = new Map<string, Sent>();
const keyOf = ({ method, url }: Target, { account }: Payer) => `${account} ${method} ${url}`;

/** Returns whether a payment was sent that may still be accepted, or already is. */
export const isUnderWay = (target: Target, payer: Payer): boolean => underWay.has(keyOf(target, payer));

const lockOf = (key: string) => `${UNFINISHED} ${key}`;

/**
 * Takes over a sent payment once no other page is working on it, and finishes it unless another page already
 * has.
 */
export async function takeUp(unfinished: Unfinished, finish: () => Promise<void>): Promise<void> {
  const { target, header } = unfinished;
  const { from, refBlockNum } = readPayment(header);
  const key = keyOf(target, { account: from, activeKey: null });
  const work = async () => {
    if (!listUnfinished().some((kept) => kept.header === header)) return;
    // The payment was counted as spent when it was signed.
    if (!underWay.has(key)) underWay.set(key, { header, mils: NO_MILS, refBlockNum });
    await finish();
  };
  // Pages without a secure origin have no locks.
  await (navigator.locks?.request(lockOf(key), work) ?? work());
}

/**
 * Requests a resource and pays for it within the guard's limits; a payment that may be on its way is sent again
 * unchanged.
 * @throws PaymentError, which charges nothing except perhaps with `redirected_after_payment`; with
 *   `too_many_under_way`, earlier payments may still be charged; the error of `fetch` if there was no answer
 */
export function pay(target: Target, options: Options): Promise<Answer> {
  const answer = sendOrPay(target, options);
  const name = lockOf(keyOf(target, options.payer));
  navigator.locks
    ?.request(name, { ifAvailable: true }, () => Promise.allSettled([answer]))
    .catch(() => {
      // A page that is being closed gets no lock.
    });
  return answer;
}

async function sendOrPay(target: Target, options: Options): Promise<Answer> {
  const key = keyOf(target, options.payer);
  const watched = serverClock.watch(createWatchedFetch(options.watch));
  const url = new URL(target.url, location.href);
  const { signal } = options.watch;
  const init = { method: target.method, headers: { accept: "application/json" }, signal };
  const sent = underWay.get(key);
  const response = sent
    ? await sendAgain(url, init, watched, sent.header)
    : await payAnew(url, init, noting(target, watched, options), options);
  const body: Answer["body"] = await response.json().catch((error: unknown) => {
    // Paid content that did not arrive whole is requested again.
    if (response.ok) throw error;
    return {};
  });
  const failure = response.ok ? null : classify({ status: response.status, code: body.code ?? "" }, true);
  const paid = underWay.get(key);
  if (failure === null || !isUndecided(failure)) {
    underWay.delete(key);
    if (paid) dropUnfinished(paid.header);
  }
  const wasBought = paid !== undefined && failure === null && isEarlier(response, paid);
  if (paid && (wasBought || (failure && isUncharged(failure)))) options.watch.onUncharged(paid.mils);
  return { response, body, wasBought };
}

/** Creates a `fetch` that stores a payment before sending it. */
const noting =
  (target: Target, fetcher: typeof fetch, { title, payer, watch }: Options): typeof fetch =>
  (input, init) => {
    const key = keyOf(target, payer);
    const header = new Headers(init?.headers).get("x-payment");
    if (header !== null && underWay.get(key)?.header !== header) {
      watch.signal.throwIfAborted();
      const { mils, refBlockNum } = readPayment(header);
      underWay.set(key, { header, mils, refBlockNum });
      keepUnfinished({ target, title, header });
      watch.onSpent(mils);
    }
    return fetcher(input, init);
  };

/** Maximum lifetime of a transfer in blocks, which is ten minutes. */
const MAX_LIFE_BLOCKS = 200;

/**
 * Returns whether the receipt belongs to an earlier payment that admitted the payer, because this one can't
 * be in its block.
 */
function isEarlier(response: Response, { refBlockNum }: Sent): boolean {
  const receipt = decodeHeader<{ blockNum?: number }>(response.headers.get("x-payment-response"));
  const after = ((receipt?.blockNum ?? refBlockNum + 1) - refBlockNum) & 0xffff;
  return after === 0 || after > MAX_LIFE_BLOCKS;
}

async function sendAgain(url: URL, init: RequestInit, fetcher: typeof fetch, payment: string) {
  const { sendPayment } = await import("../../../lib/x402/client/index.ts");
  return sendPayment(url, { ...init, payment, fetch: fetcher });
}

async function payAnew(
  url: URL,
  init: RequestInit,
  fetcher: typeof fetch,
  { payer, chain, guard, watch }: Options,
): Promise<Response> {
  const { createPayingFetch } = await import("../../../lib/x402/client/index.ts");
  const askWallet: SignTransaction = (transfer, account) => {
    watch.onWallet(serverClock.until(Date.parse(`${transfer.expiration}Z`)) - SETTLING_MS);
    return signTransactionWithKeychain(account, transfer, watch);
  };
  const sign: SignTransaction = async (transfer, account) => {
    watch.onStep("sign");
    const startedAt = performance.now();
    const [[, { amount, to, memo }]] = transfer.operations;
    const signed =
      payer.activeKey === null
        ? await askWallet(transfer, account)
        : await signHere([transfer, account], payer.activeKey, chain);
    watch.onFlow({
      kind: "sign",
      method: "SIGN",
      url: `transfer ${amount} to @${to}`,
      status: null,
      ms: performance.now() - startedAt,
      headers: [
        ["memo", memo],
        ["expiration", transfer.expiration],
      ],
    });
    return signed;
  };
  const payingFetch = createPayingFetch({
    account: payer.account,
    signTransaction: sign,
    maxPayment: formatMils(guard.paymentMils),
    budget: { perHost: formatMils(remainingOf(guard)) },
    allowedHosts: [location.host],
    fetch: fetcher,
    nodes: chain.nodes,
    chainId: chain.chainId,
  });
  return payingFetch(url, init);
}

const signHere = async (
  [transfer, account]: Parameters<SignTransaction>,
  key: string,
  chain: Pick<ChainHere, "chainId">,
) => {
  const { createKeySigner } = await import("../../../lib/x402/client/index.ts");
  return createKeySigner(key, { chainId: chain.chainId })(transfer, account);
};

/**
 * The server's time by its latest answer: offers expire by the server's clock, and this machine's may be
 * wrong.
 */
const serverClock = (() => {
  let told: { ms: number; at: number } | null = null;
  return {
    /** Returns the time until `endMs`, or a minute if no answer has reported the server's time. */
    until: (endMs: number) => (told ? endMs - told.ms - (performance.now() - told.at) : 60_000),
    watch:
      (fetcher: typeof fetch): typeof fetch =>
      async (input, init) => {
        const response = await fetcher(input, init);
        const ms = Date.parse(response.headers.get("date") ?? "");
        if (!Number.isNaN(ms)) told = { ms, at: performance.now() };
        return response;
      },
  };
})();
