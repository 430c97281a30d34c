import { MOST_PAYMENTS } from "#lib/contract/limits.ts";
import type { Payments } from "#lib/contract/payment-answers.ts";
import { route } from "#lib/services/route.ts";
import { readStatement } from "#lib/x402/account-statement.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/payments", {
  GET: ({ services: { hive }, query: { account }, signal }): Promise<Payments> =>
    readStatement(hive, account, MOST_PAYMENTS, { signal }),
});
