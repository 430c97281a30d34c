import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchClaims } from "#lib/x402/client/watch-claims.ts";
import { decodeBase64Json, MAX_SENT_CHARACTERS } from "#lib/x402/header.ts";
import type { PaymentOfTransfer, TransferOffer } from "#lib/x402/types.ts";
import { transferOfferOf } from "#tests/harness/transfer-offer.ts";

type Claim = { offer: TransferOffer };
type Answers = Record<string, ReadonlyArray<string>>;

const claimOf = (claim: string): Claim => ({ offer: transferOfferOf(claim) });
const nameOf = ({ offer }: Claim) => offer.extra.claim;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Watches claims at a server with these answers to each, of which the last repeats; returns what happens. */
function watch(names: readonly string[], answers: Answers) {
  let claims = names.map(claimOf);
  const happened: string[] = [];
  const presented: string[] = [];
  vi.stubGlobal("fetch", async (_url: string, { headers }: RequestInit) => {
    const header = new Headers(headers).get("payment-signature") ?? "";
    const { payload } = decodeBase64Json(header, MAX_SENT_CHARACTERS) as PaymentOfTransfer;
    const [next = "payment_not_seen", ...others] = answers[payload.claim] ?? [];
    if (others.length > 0) answers[payload.claim] = others;
    presented.push(payload.claim);
    return next === "paid" ? new Response("content") : Response.json({ code: next }, { status: 402 });
  });
  const leaving = new AbortController();
  const ended = watchClaims<Claim>({
    ...{ url: "https://shop.example/article", lock: "claims", signal: leaving.signal },
    read: () => claims,
    drop: (claim) => {
      happened.push(`dropped ${nameOf(claim)}`);
      claims = claims.filter((kept) => kept !== claim);
    },
    end: (claim) => void happened.push(`ended ${nameOf(claim)}`),
    onNews: () => {},
    onPaid: async (claim) => void happened.push(`paid ${nameOf(claim)}`),
    onRefused: async (claim, { code }) => void happened.push(`refused ${nameOf(claim)}: ${code}`),
    onNone: () => void happened.push("none left"),
  }).catch(() => "left");
  return { happened, presented, ended, leave: () => leaving.abort() };
}

test("a claim that a server does not recognize is kept and presented until another server delivers", async () => {
  const { happened, ended } = watch(["new"], { new: ["invalid_claim", "payment_not_seen", "paid"] });
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  expect(happened).toEqual(["ended new", "refused new: invalid_claim", "paid new", "dropped new"]);
});

test("a refusal as unrecognized is reported once, however often it is repeated", async () => {
  const { happened, presented, ended, leave } = watch(["lost"], { lost: ["invalid_claim"] });
  await vi.advanceTimersByTimeAsync(60_000);
  leave();
  expect(await ended).toBe("left");
  expect(happened.filter((event) => event.startsWith("refused"))).toEqual(["refused lost: invalid_claim"]);
  expect(happened).not.toContain("dropped lost");
  expect(presented.length).toBeGreaterThan(5);
});

test("an unrecognized claim does not delay a claim before it", async () => {
  const { presented, ended, leave } = watch(["good", "lost"], { lost: ["invalid_claim"] });
  await vi.advanceTimersByTimeAsync(60_000);
  leave();
  await ended;
  expect(presented.filter((name) => name === "good").length).toBeGreaterThan(50);
});

test("a claim that can buy nothing any more is dropped", async () => {
  const { happened, ended } = watch(["old"], { old: ["requirements_expired"] });
  await vi.advanceTimersByTimeAsync(1000);
  await ended;
  expect(happened).toEqual(["dropped old", "refused old: requirements_expired", "none left"]);
});
