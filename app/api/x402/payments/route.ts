import { MOST_PAYMENTS } from "#lib/contract/limits.ts";
import type { Payments } from "#lib/contract/payment-answers.ts";
import { withRefundReasons } from "#lib/services/refund-reasons.ts";
import { route } from "#lib/services/route.ts";
import { readStatement } from "#lib/x402/account-statement.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/payments", {
  GET: async ({ services, request, query: { account }, signal }): Promise<Payments> => {
    const statement = await readStatement(services.hive, account, MOST_PAYMENTS, { signal });
    return withRefundReasons(services, request, statement);
  },
});
