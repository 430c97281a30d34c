import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as discovery from "#lib/x402/discovery/answers.ts";
import type { Declaration } from "#lib/x402/discovery/declaration.ts";
import type { Listing } from "#lib/x402/discovery/listing.ts";
import type * as schemas from "#lib/x402/schemas.ts";
import type * as types from "#lib/x402/types.ts";

type Parsed = { [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> };
/** Merges intersections, which the compiler does not hold to be the same as one object type. */
type Plain<T> = T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;

test("schemas parse exactly the fields of the published types", () => {
  expectTypeOf<Parsed["HealthResponse"]>().toEqualTypeOf<types.HealthResponse>();
  expectTypeOf<Parsed["PaymentPayload"]>().toEqualTypeOf<types.PaymentPayload>();
  expectTypeOf<Parsed["PaymentRequired"]>().toEqualTypeOf<types.PaymentRequired>();
  expectTypeOf<Parsed["PaymentRequirements"]>().toEqualTypeOf<types.PaymentRequirements>();
  expectTypeOf<Parsed["SettleResponse"]>().toEqualTypeOf<types.SettleResponse>();
  expectTypeOf<Parsed["SignedTransaction"]>().toEqualTypeOf<types.SignedTransaction>();
  expectTypeOf<Parsed["SupportedResponse"]>().toEqualTypeOf<types.SupportedResponse>();
  expectTypeOf<Parsed["VerifyResponse"]>().toEqualTypeOf<types.VerifyResponse>();
  expectTypeOf<Plain<z.output<typeof Declaration>>>().toEqualTypeOf<Plain<discovery.Declaration>>();
  expectTypeOf<Plain<z.output<typeof Listing>>>().toEqualTypeOf<Plain<discovery.Listing>>();
});
