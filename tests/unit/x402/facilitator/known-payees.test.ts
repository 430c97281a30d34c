import { expect, test } from "vitest";
import { createKnownPayees } from "#lib/x402/facilitator/known-payees.ts";

test("a payee whose transfers are still found stays known, however many others are added", () => {
  const known = createKnownPayees(3);
  for (const payTo of ["shop", "one", "two", "shop", "three", "four"]) known.add(payTo);
  expect(["shop", "one", "two", "three", "four"].filter(known.has)).toEqual(["shop", "three", "four"]);
});
