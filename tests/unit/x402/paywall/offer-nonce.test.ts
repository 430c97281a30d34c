import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { offerNonce, readNonce, readNonceOfAny } from "#lib/x402/paywall/offer-nonce.ts";

const secret = new TextEncoder().encode("one secret");
const now = Date.UTC(2026, 0, 31, 12);

describe("offered nonces", () => {
  test("offers a nonce that fits the memo and is bound to its time and resource", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(2 ** 40), (resource, seconds) => {
        const nonce = offerNonce(secret, resource, seconds * 1000 + 999);
        expect(nonce).toMatch(/^[A-Za-z0-9_-]{48}$/);
        expect(readNonce(secret, resource, nonce)).toEqual({
          kind: "bound",
          offeredAtMs: (seconds % 2 ** 40) * 1000,
        });
      }),
    );
  });

  test("offers a different nonce each time", () => {
    const nonces = Array.from({ length: 100 }, () => offerNonce(secret, "GET /a", now));
    expect(new Set(nonces).size).toBe(100);
  });

  test("recognizes and refuses a nonce for another resource", () => {
    expect(readNonce(secret, "GET /b", offerNonce(secret, "GET /a", now))).toEqual({ kind: "elsewhere" });
    expect(readNonce(secret, "POST /a", offerNonce(secret, "GET /a", now))).toEqual({ kind: "elsewhere" });
  });

  test("treats a nonce of another secret or of a client as unknown", () => {
    const other = offerNonce(new TextEncoder().encode("another"), "GET /a", now);
    for (const nonce of [other, "0123456789abcdef0123456789abcdef", "x".repeat(48), ""])
      expect(readNonce(secret, "GET /a", nonce)).toEqual({ kind: "foreign" });
  });

  test("recognizes a nonce of the previous secret, for its resource", () => {
    const former = new TextEncoder().encode("the one before");
    const nonce = offerNonce(former, "GET /a", now);
    const secrets = [secret, former];
    expect(readNonceOfAny(secrets, "GET /a", nonce)).toMatchObject({ kind: "bound" });
    expect(readNonceOfAny(secrets, "GET /b", nonce)).toEqual({ kind: "elsewhere" });
    expect(readNonceOfAny([secret], "GET /a", nonce)).toEqual({ kind: "foreign" });
  });

  test("refuses a nonce after any change", () => {
    const nonce = offerNonce(secret, "GET /a", now);
    for (let index = 0; index < nonce.length; index++) {
      const changed = nonce.slice(0, index) + (nonce[index] === "x" ? "y" : "x") + nonce.slice(index + 1);
      expect(readNonce(secret, "GET /a", changed).kind).not.toBe("bound");
    }
  });
});
