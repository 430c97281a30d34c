import { TipQuery } from "../contract/payment-queries.ts";
import { sharedStore } from "../services/shared-store.ts";
import { formatMillis, parseMillis } from "../x402/amount.ts";
import { sell } from "./sell.ts";
import { recordTip } from "./tip-ledger.ts";

/** Takes the tip that a checked address describes, to the account in it, and counts it where it is for a message. */
export const payTip = sell<object>(
  "tips",
  {
    description: "A tip",
    amount: (request) => amountOf(request),
    receivingAccount: (request) => tipOf(request).to,
  },
  async (request, { payer, txId }) => {
    const { to, post } = tipOf(request);
    const tip = { to, amount: amountOf(request), payer, txId };
    if (post === undefined) return Response.json(tip);
    const sums = await recordTip(sharedStore(), post, { txId, millis: parseMillis(tip.amount) ?? 0 });
    return Response.json({ ...tip, post, count: sums.count, total: formatMillis(sums.millis) });
  },
);

const tipOf = (request: Request) => TipQuery.parse(Object.fromEntries(new URL(request.url).searchParams));

const amountOf = (request: Request) => `${tipOf(request).amount} HBD`;
