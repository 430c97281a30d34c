import fc from "fast-check";
import { expect, test } from "vitest";
import { readSignIn } from "#lib/x402/paywall/read-sign-in.ts";
import { isSignInNonce, signInNonce } from "#lib/x402/paywall/sign-in-nonce.ts";

const secret = new TextEncoder().encode("of this server");
const bound = { place: "GET https://shop.example/report", issuedAt: "2026-01-31T12:00:00.000Z" };

test("a nonce is recognized only with its secret, and for its own address and time", () => {
  const nonce = signInNonce(secret, bound);
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  const other = new TextEncoder().encode("of another server");
  expect(isSignInNonce([other, secret], nonce, bound)).toBe(true);
  expect(isSignInNonce([other], nonce, bound)).toBe(false);
  expect(isSignInNonce([secret], nonce, { ...bound, place: "POST https://shop.example/report" })).toBe(false);
  expect(isSignInNonce([secret], nonce, { ...bound, issuedAt: "2026-01-31T12:00:00.001Z" })).toBe(false);
});

test("a nonce with a changed digit is not recognized", () => {
  const nonce = signInNonce(secret, bound);
  fc.assert(
    fc.property(fc.nat(31), fc.nat(15), (at, digit) => {
      const changed = nonce.slice(0, at) + digit.toString(16) + nonce.slice(at + 1);
      return isSignInNonce([secret], changed, bound) === (changed === nonce);
    }),
  );
});

test("a header that is no sign-in is refused without an exception", () => {
  const base64 = fc.json().map((text) => Buffer.from(text).toString("base64"));
  fc.assert(fc.property(fc.oneof(fc.string(), base64), (text) => readSignIn(text) === null));
});
