import type { SentTransferRequest } from "../types.ts";
import type { PaymentAttempt } from "./payment-attempt.ts";
import type { BroughtTicket } from "./read-payment.ts";
import type { TicketTerms } from "./ticket.ts";
import { buildTransferOffer } from "./transfer-offer.ts";

/**
 * Creates the facilitator's request about a ticket, from the terms that the ticket itself holds. With `returnTo`, the
 * transfer of this payer is marked as owed back, and never counts.
 */
export function transferRequest(
  { settings, address, extensions }: Pick<PaymentAttempt, "settings" | "address" | "extensions">,
  { network, ticket, txId, ...terms }: BroughtTicket & Pick<TicketTerms, "payTo" | "amount" | "endMs">,
  returnTo?: string,
): SentTransferRequest {
  const offer = buildTransferOffer(ticket, { ...terms, network });
  const accepted = { ...offer, network };
  const finality = settings.finality && { finality: settings.finality };
  return {
    x402Version: 2,
    paymentPayload: {
      ...{ x402Version: 2, accepted },
      payload: { type: "memo", claim: ticket, ...(txId !== undefined && { txId }) },
      ...(extensions && { extensions }),
    },
    paymentRequirements: {
      ...accepted,
      extra: { ...accepted.extra, ...finality, ...(returnTo !== undefined && { returnTo }) },
      validBefore: new Date(terms.endMs).toISOString(),
      resource: address,
    },
  };
}
