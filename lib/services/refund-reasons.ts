import { hasCode } from "../errors.ts";
import type { readStatement } from "../x402/account-statement.ts";
import { createRefundBook } from "../x402/refunds/refund-record.ts";
import { accountOf } from "./paywall-terms.ts";
import type { Services } from "./services.ts";

type Statement = Awaited<ReturnType<typeof readStatement>>;

/**
 * Adds to an account's refunds the reasons that this gateway's store has, if the account is signed in: a
 * reason is for buyer and seller only. Without the store, there are none.
 */
export async function withRefundReasons(services: Services, request: Request, statement: Statement) {
  if (!statement.payments.some(({ refundOf }) => refundOf !== undefined)) return statement;
  try {
    if ((await accountOf(services, request)) !== statement.account) return statement;
    const { chainId } = services.hive;
    const payments = statement.payments.map(async (payment) => {
      const { txId, from: account, refundOf } = payment;
      if (refundOf === undefined) return payment;
      const record = (await createRefundBook(services.store, { chainId, account }).find(refundOf))?.record;
      return record?.txId === txId ? { ...payment, reason: record.reason } : payment;
    });
    return { ...statement, payments: await Promise.all(payments) };
  } catch (error) {
    if (hasCode(error, "degraded")) return statement;
    throw error;
  }
}
