import { MOST_PAYMENTS, paymentsLimit } from "#lib/contract/limits.ts";
import type { Payments } from "#lib/contract/payment-answers.ts";
import { PaymentsQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";
import { readStatement } from "#lib/x402/account-statement.ts";

export const GET = route(
  { query: PaymentsQuery, limit: paymentsLimit },
  ({ services: { hive }, query: { account }, signal }): Promise<Payments> =>
    readStatement(hive, account, MOST_PAYMENTS, { signal }),
);
