import { personHere, UNFINISHED } from "../_session/person.ts";
import { createKeptItems } from "../_ui/kept-items.ts";
import { readPayment } from "./read-payment.ts";
import { isOnThisSite, type Target } from "./target.ts";

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

/** Maximum number of stored payments, not counting those that may still be charged. */
const MOST_KEPT = 20;
/** Time for which a payment that reached its block in time still returns its content. */
const KEPT_FOR_MS = 86_400_000;
/** Time for which a signed payment can reach a block. */
const CHARGEABLE_MS = 600_000;

const payments = createKeptItems<Unfinished>({
  prefix: `${UNFINISHED}.`,
  formerKey: UNFINISHED,
  nameOf: ({ header }) => readPayment(header).signature,
  isGood,
  orderOf: ({ until }) => until,
  mayMakeRoom,
});

/** Returns whether a payment can no longer be charged, so that only content which was paid for is at stake. */
function mayMakeRoom({ until }: Unfinished): boolean {
  return until - KEPT_FOR_MS + CHARGEABLE_MS < Date.now();
}

/** Returns whether a stored value is a readable payment for this site whose outcome still matters. */
function isGood(kept: unknown): kept is Unfinished {
  try {
    const { target, title, header, until } = kept as Unfinished;
    const { from, to, amount, signature } = readPayment(header);
    return (
      [title, from, to, amount, signature].every((text) => typeof text === "string") &&
      until > Date.now() &&
      isOnThisSite(target)
    );
  } catch {
    return false;
  }
}

/** Returns the current user's sent payments whose outcome is unknown, oldest first. */
export const listUnfinished = (): Unfinished[] =>
  payments.list().filter(({ person }) => person === null || person === personHere());

/** Stores a payment before it is sent. */
export function keepUnfinished(sent: Pick<Unfinished, "target" | "title" | "header">): void {
  payments.sweep();
  const kept = payments.list();
  const excess = Math.max(0, kept.length + 1 - MOST_KEPT);
  for (const old of kept.filter(mayMakeRoom).slice(0, excess)) payments.drop(old);
  payments.keep({ ...sent, person: personHere(), until: Date.now() + KEPT_FOR_MS });
}

/** Forgets a payment whose outcome is known. */
export function dropUnfinished(header: string): void {
  for (const kept of payments.list()) if (kept.header === header) payments.drop(kept);
}
