import type { Spent } from "./day-book.ts";
import { openBuyer } from "./open-buyer.ts";
import type { PayerOptions } from "./options.ts";
import type { AskedPayment, PaidCall } from "./paid-call.ts";
import type { Quote } from "./quote.ts";

/** Pays for calls of any protocol, within the limits, budget and approval of its options. */
export type Payer = {
  /** Pays a call and returns its answer. @throws PaymentError instead of paying; the errors of `send` */
  pay<Answer>(call: PaidCall<Answer>): Promise<Answer>;
  /** Returns the price that `pay` would pay, or why it would not. Nothing is signed, reserved or approved. */
  quote(asked: AskedPayment): Promise<Quote>;
  /** @throws PaymentError `budget_unavailable`, or `chain_unavailable` with a store in the budget */
  spent(): Promise<Spent>;
};

/**
 * Creates a payer for protocols other than HTTP, such as the Model Context Protocol. It stores payments as
 * `createPayingFetch` does, from before they are sent until they are answered.
 * @throws TypeError for invalid options.
 * @example const payer = createPayer({ account: "alice", activeKey: "5J...", maxPayment: "0.100 HBD" });
 * const answer = await payer.pay({ required, url: "https://mcp.example/mcp", request: "search dogs", send });
 */
export function createPayer(options: PayerOptions): Payer {
  const { load, spent } = openBuyer(options);
  return {
    async pay(call) {
      const [{ payCall }, buyer] = await Promise.all([import("./pay-call.ts"), load()]);
      return payCall(buyer, call);
    },
    async quote({ required, url }) {
      const { href } = new URL(url);
      // Loaded with the first offer rather than with the page.
      const [{ entriesIn }, buyer] = await Promise.all([import("./read-offers.ts"), load()]);
      const asked = { url: href, entries: entriesIn(required), allowsNames: true };
      return { status: null, ...(await buyer.quote(asked)) };
    },
    spent,
  };
}
