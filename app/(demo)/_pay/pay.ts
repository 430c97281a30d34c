import { formatMils, type Mils, NO_MILS, parseMils } from "../../../lib/mils.ts";
import type { SignTransaction } from "../../../lib/x402/client/index.ts";
import type { ChainHere } from "../_session/chain-here.tsx";
import { signTransactionWithKeychain } from "../_session/keychain.ts";
import { personHere, UNFINISHED } from "../_session/person.ts";
import { keepText, readKept } from "../_ui/kept-text.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import { classify, isUncharged, isUndecided } from "./failure.ts";
import { createWatchedFetch, decodeHeader, type PayStep } from "./flow.ts";
import { remainingOf, type SpendGuard } from "./spend-guard.ts";

export type Target = { method: "GET" | "POST"; url: string };
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

/** A payment sent by a page that may have been closed, and its subject. */
export type Unfinished = {
  target: Target;
  title: string;
  header: string;
  /** The user who was signed in, to whom alone the payment is shown; null if no one was. */
  person: string | null;
  /** Time after which the payment is useless, by this machine's clock, which may be wrong. */
  until: number;
};

const MOST_KEPT = 20;
/** Time for which a payment that reached its block in time still returns its content. */
const KEPT_FOR_MS = 86_400_000;

function readSent(): Unfinished[] {
  const kept = readKept(UNFINISHED);
  return Array.isArray(kept) ? kept.filter(isWhole).filter(({ until }) => until > Date.now()) : [];
}

/** Returns whether a stored payment is readable and meant for this site; it is sent nowhere else. */
function isWhole(kept: Unfinished | null): boolean {
  try {
    const { target, title, header } = kept as Unfinished;
    const { method, url } = target;
    return (
      ["GET", "POST"].includes(method) &&
      [url, title, ...Object.values(transferOf({ header }))].every((text) => typeof text === "string") &&
      new URL(url, location.href).origin === location.origin
    );
  } catch {
    return false;
  }
}

function writeSent(sent: readonly Unfinished[]): void {
  keepText(UNFINISHED, sent.length === 0 ? null : JSON.stringify(sent.slice(-MOST_KEPT)));
}

const keepSent = (sent: Unfinished) => writeSent([...readSent(), sent]);
const dropSent = (header: string) => writeSent(readSent().filter((kept) => kept.header !== header));

/** Returns the payer, amount and payee of a payment. */
export function transferOf({ header }: Pick<Unfinished, "header">) {
  const { from, to, amount } = readTransfer(header);
  return { from, to, amount };
}

/** Returns the current user's sent payments whose outcome is unknown. */
export const listUnfinished = (): Unfinished[] =>
  readSent().filter(({ person }) => person === null || person === personHere());

const lockOf = (key: string) => `${UNFINISHED} ${key}`;

/**
 * Takes over a sent payment once no other page is working on it, and finishes it unless another page already
 * has.
 */
export async function takeUp(unfinished: Unfinished, finish: () => Promise<void>): Promise<void> {
  const { target, header } = unfinished;
  const { from, refBlockNum } = readTransfer(header);
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
    if (paid) dropSent(paid.header);
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
      const { mils, refBlockNum } = readTransfer(header);
      underWay.set(key, { header, mils, refBlockNum });
      const until = Date.now() + KEPT_FOR_MS;
      keepSent({ target, title, header, person: personHere(), until });
      watch.onSpent(mils);
    }
    return fetcher(input, init);
  };

type Transfer = {
  ref_block_num: number;
  operations: [["transfer", { from: string; to: string; amount: string }]];
};

/** Reads the transfer in a payment's header, and the last digits of the block number that it refers to. */
function readTransfer(header: string) {
  const payment = decodeHeader<{ payload: { signedTransaction: Transfer } }>(header);
  if (!payment) throw new TypeError("the payment can't be read");
  const { ref_block_num: refBlockNum, operations } = payment.payload.signedTransaction;
  const [[, transfer]] = operations;
  return { ...transfer, mils: parseMils(transfer.amount) ?? NO_MILS, refBlockNum };
}

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
