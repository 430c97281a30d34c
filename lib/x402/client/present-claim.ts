import { readJson } from "../../async/read-body.ts";
import { underSignals } from "../../async/time-limits.ts";
import { encodeBase64Json, HEADER_REDIRECT, HEADER_V2_PAYMENT } from "../header.ts";
import type { PaymentOfTransfer, TransferOffer, TransferReturn } from "../types.ts";
import { isUnserved } from "../unserved.ts";
import { asRecord } from "./as-record.ts";

/** The longest pause before a claim is presented again. */
const MAX_WAIT_SECONDS = 10;
const NOT_SEEN_SECONDS = 1;
const UNSERVED_SECONDS = 2;
/** As long as browsers wait, because an abort of slow work could use up the payment. */
const ANSWER_MS = 300_000;

/** Refusals after which the same claim can still be paid. */
const payable: readonly string[] = [
  "payment_not_seen",
  "paid_too_little",
  "paid_too_much",
  "paid_other_coin",
  "paid_other_memo",
];

/** The outcome of presenting a claim once. */
export type ClaimOutcome =
  /** The paid answer, whose body is not read yet. */
  | { kind: "paid"; response: Response }
  /** The transfer is not seen yet, or the server gives no outcome. `returns` lists wrong transfers. */
  | { kind: "waiting"; isServed: boolean; seconds: number; returns: readonly TransferReturn[] }
  /** The claim buys nothing, now and later; with `invalid_claim` at this server. */
  | { kind: "refused"; code: string; response: Response; returns: readonly TransferReturn[] };

/**
 * Presents the claim of an offer whose transfer the payer's wallet sends, and returns the outcome, which an
 * unreachable server, or one that does not answer in five minutes, leaves open. The claim never leaves the origin of `url`.
 * @throws the signal's reason once it aborts
 */
export async function presentClaim(
  url: string,
  accepted: TransferOffer,
  { fetch: fetcher = fetch, ...init }: RequestInit & { fetch?: typeof fetch } = {},
): Promise<ClaimOutcome> {
  const headers = new Headers(init.headers);
  const payload = { type: "memo", claim: accepted.extra.claim } as const;
  headers.set(
    HEADER_V2_PAYMENT,
    encodeBase64Json({ x402Version: 2, accepted, payload } satisfies PaymentOfTransfer),
  );
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  try {
    return await underSignals([init.signal ?? undefined, late.signal], async (signal) => {
      const response = await fetcher(url, { ...init, headers, signal, cache: "no-store", redirect: "error" });
      return response.ok || response.headers.has(HEADER_REDIRECT)
        ? { kind: "paid", response }
        : readOutcome(response);
    });
  } catch {
    init.signal?.throwIfAborted();
    return { kind: "waiting", isServed: false, seconds: UNSERVED_SECONDS, returns: [] };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads what an answer without the content says about the claim. */
async function readOutcome(response: Response): Promise<ClaimOutcome> {
  const told = Number(response.headers.get("retry-after"));
  const secondsOr = (usual: number) => Math.min(told > 0 ? told : usual, MAX_WAIT_SECONDS);
  if (isUnserved(response.status))
    return { kind: "waiting", isServed: false, seconds: secondsOr(UNSERVED_SECONDS), returns: [] };
  const body = asRecord(await readRefusal(response.clone()));
  const code = typeof body.code === "string" ? body.code : "";
  const returns = Array.isArray(body.returns) ? (body.returns as TransferReturn[]) : [];
  if (response.status === 402 && payable.includes(code))
    return { kind: "waiting", isServed: true, seconds: secondsOr(NOT_SEEN_SECONDS), returns };
  // Anything but a paywall's reason says nothing about the claim: the session may have ended, or a server in between
  // may have answered or removed the header. The transfer may have been sent, so its claim is not given up.
  if (response.status !== 402 || code === "" || code === "payment_required")
    return { kind: "waiting", isServed: false, seconds: secondsOr(MAX_WAIT_SECONDS), returns: [] };
  return { kind: "refused", code, response, returns };
}

const readRefusal = (response: Response): Promise<unknown> =>
  readJson(response).catch(() => {
    // The answer broke off; its status is enough.
    return null;
  });
