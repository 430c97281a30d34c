import { HEADER_REDIRECT } from "../header.ts";
import type { TransferOffer, TransferReturn } from "../types.ts";
import { type ClaimOutcome, presentClaim } from "./present-claim.ts";
import { wait } from "./wait.ts";

/** Earlier claims are presented once in so many rounds, because only the latest one is on view. */
const ROUNDS = 5;
/** The rounds after which the pause grows, because a page may stay open for hours. */
const QUICK_ROUNDS = 1200;
const SLOW_SECONDS = 5;
/**
 * The refusal of a claim that the server did not create, or does not recognize yet: of two servers with a new secret, one
 * may not have it yet.
 */
const UNRECOGNIZED = "invalid_claim";

/** The news about a claim that is not paid. */
export type ClaimNews = {
  /** False while the server does not answer. */
  isServed: boolean;
  /** The wrong transfers that came for the claim. */
  returns: readonly TransferReturn[];
};

/** A refusal of a claim that can buy nothing any more, or that the server does not recognize. */
export type ClaimRefusal = Extract<ClaimOutcome, { kind: "refused" }>;

/** The claims of one resource, and what becomes of them. */
export type WatchedClaims<Claim extends { offer: TransferOffer }> = {
  url: string;
  method?: string;
  /** The name of the lock that one page of a browser holds at a time. */
  lock: string;
  signal?: AbortSignal;
  /** Returns the stored claims, oldest first. */
  read: () => readonly Claim[];
  drop: (claim: Claim) => void;
  /** Ends the time in which people are asked to pay a claim, which is still presented. */
  end: (claim: Claim) => void;
  onNews: (claim: Claim, news: ClaimNews) => void;
  /** Takes the answer. If it rejects, the claim is presented again. */
  onPaid: (claim: Claim, response: Response) => Promise<void>;
  /** Called once for a claim, even if it is presented again. */
  onRefused: (claim: Claim, refusal: ClaimRefusal) => Promise<void>;
  /** Called if no claim is left, because another page has opened the resource. */
  onNone: () => void;
};

/**
 * Presents the claims of a resource until one has bought it. Of the pages of a browser that watch it, one does so.
 * @throws the signal's reason once it aborts
 */
export async function watchClaims<Claim extends { offer: TransferOffer }>(
  watched: WatchedClaims<Claim>,
): Promise<void> {
  const { lock, signal } = watched;
  const work = () => presentInTurn(watched);
  // Pages without a secure origin have no locks.
  await (navigator.locks?.request(lock, signal ? { signal } : {}, work) ?? work());
}

async function presentInTurn<Claim extends { offer: TransferOffer }>(
  watched: WatchedClaims<Claim>,
): Promise<void> {
  const { read, onNone, signal } = watched;
  const unrecognized = new Set<string>();
  const isRecognized = ({ offer }: Claim) => !unrecognized.has(offer.extra.claim);
  for (let round = 0; ; round++) {
    const claims = read();
    if (claims.length === 0) return onNone();
    const latest = claims.filter(isRecognized).slice(-1);
    let seconds = round < QUICK_ROUNDS && latest.length > 0 ? 0 : SLOW_SECONDS;
    for (const claim of round % ROUNDS === 0 || latest.length === 0 ? claims : latest) {
      const pause = await presentOne(watched, unrecognized, claim);
      if (pause === "bought") return;
      seconds = Math.max(seconds, pause);
    }
    await wait(seconds, signal);
  }
}

/** Presents a claim, and returns the seconds until the next round. */
async function presentOne<Claim extends { offer: TransferOffer }>(
  { url, method = "GET", signal, drop, end, onNews, onPaid, onRefused }: WatchedClaims<Claim>,
  unrecognized: Set<string>,
  claim: Claim,
): Promise<number | "bought"> {
  const outcome = await presentClaim(url, claim.offer, {
    method,
    headers: { [HEADER_REDIRECT]: "reveal", accept: "application/json, text/html;q=0.9, */*;q=0.8" },
    ...(signal && { signal }),
  });
  const { claim: secret } = claim.offer.extra;
  if (outcome.kind === "waiting") {
    if (outcome.isServed) unrecognized.delete(secret);
    onNews(claim, outcome);
    return outcome.seconds;
  }
  if (outcome.kind === "refused" && outcome.code === UNRECOGNIZED) {
    const isNew = !unrecognized.has(secret);
    unrecognized.add(secret);
    end(claim);
    if (isNew) await onRefused(claim, outcome);
    return 0;
  }
  if (outcome.kind === "refused") {
    drop(claim);
    await onRefused(claim, outcome);
    return 0;
  }
  const isTaken = await onPaid(claim, outcome.response).then(
    () => true,
    () => false,
  );
  if (!isTaken) return SLOW_SECONDS;
  drop(claim);
  return "bought";
}
