import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as schemas from "#lib/x402/schemas.ts";
import type {
  HealthResponse,
  PaymentPayload,
  PaymentRequired,
  PaymentRequirements,
  SettleResponse,
  SignedTransaction,
  SupportedResponse,
  VerifyResponse,
} from "#lib/x402/types.ts";

type Parsed = { [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> };

test("schemas parse every field of the published types, and no other", () => {
  expectTypeOf<Parsed>().toEqualTypeOf<{
    HealthResponse: HealthResponse;
    PaymentPayload: PaymentPayload;
    PaymentRequired: PaymentRequired;
    PaymentRequirements: PaymentRequirements;
    SettleResponse: SettleResponse;
    SignedTransaction: SignedTransaction;
    SupportedResponse: SupportedResponse;
    VerifyResponse: VerifyResponse;
  }>();
});
