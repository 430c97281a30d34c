import { describe, expect, test } from "vitest";
import { createKeyRecovery } from "#lib/x402/facilitator/key-recovery.ts";

const digestOf = (number: number) => new Uint8Array(32).fill(number & 0xff).fill(number >> 8, 0, 1);
const signatureOf = (number: number) => new Uint8Array(65).fill(number);

/** Counts recoveries, whose keys begin with the first bytes of digest and signature. */
function countRecoveries() {
  const count = { recoveries: 0 };
  const recover = createKeyRecovery((digest, signature) => {
    count.recoveries++;
    return signature[0] === 0 ? null : Uint8Array.of(digest[1] ?? 0, signature[0] ?? 0);
  });
  return { count, recover };
}

describe("the recovery of payments' keys", () => {
  test("recovers the key of the same bytes once", () => {
    const { count, recover } = countRecoveries();
    expect(recover(digestOf(1), signatureOf(2))).toEqual(Uint8Array.of(1, 2));
    expect(recover(digestOf(1), signatureOf(2))).toEqual(Uint8Array.of(1, 2));
    expect(count.recoveries).toBe(1);
  });

  test("never returns the key of another digest or signature", () => {
    const { recover } = countRecoveries();
    expect(recover(digestOf(1), signatureOf(2))).toEqual(Uint8Array.of(1, 2));
    expect(recover(digestOf(3), signatureOf(2))).toEqual(Uint8Array.of(3, 2));
    expect(recover(digestOf(1), signatureOf(4))).toEqual(Uint8Array.of(1, 4));
  });

  test("tries a signature without a key again", () => {
    const { count, recover } = countRecoveries();
    expect([recover(digestOf(1), signatureOf(0)), recover(digestOf(1), signatureOf(0))]).toEqual([
      null,
      null,
    ]);
    expect(count.recoveries).toBe(2);
  });

  test("holds the latest thousand keys", () => {
    const { count, recover } = countRecoveries();
    for (let digest = 0; digest <= 1000; digest++) recover(digestOf(digest), signatureOf(1));
    recover(digestOf(1), signatureOf(1));
    expect(count.recoveries).toBe(1001);
    recover(digestOf(0), signatureOf(1));
    expect(count.recoveries).toBe(1002);
  });
});
