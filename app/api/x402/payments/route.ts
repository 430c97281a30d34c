import { MOST_PAYMENTS, paymentsLimit } from "../../../../lib/contract/limits.ts";
import { PaymentsQuery } from "../../../../lib/contract/requests.ts";
import { CodedError } from "../../../../lib/errors.ts";
import { readAccounts } from "../../../../lib/hive/accounts.ts";
import { readHbdTransfers } from "../../../../lib/hive/transfer-history.ts";
import { route } from "../../../../lib/services/services.ts";
import { formatMillis } from "../../../../lib/x402/amount.ts";

const MAX_TRANSFERS = 1000;

export const GET = route(
  { query: PaymentsQuery, limit: paymentsLimit },
  async ({ services: { hive }, query: { account }, signal }) => {
    const [accounts, transfers] = await Promise.all([
      readAccounts(hive, [account], { signal }),
      readHbdTransfers(hive, account, MAX_TRANSFERS, { signal }),
    ]);
    const found = accounts.get(account);
    if (!found) throw new CodedError("not_found");
    const payments = transfers
      .filter(({ memo }) => memo.startsWith("x402:"))
      .slice(0, MOST_PAYMENTS)
      .map(({ memo: _memo, ...payment }) => ({
        ...payment,
        direction: payment.from === account ? ("paid" as const) : ("earned" as const),
      }));
    return { account, balance: formatMillis(found.hbdMillis), payments };
  },
);
