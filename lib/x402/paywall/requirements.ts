import { chainIdOf, MAINNET_CAIP, MAINNET_CHAIN_ID } from "../../chains.ts";
import { parseMillis } from "../amount.ts";
import { encodeBase64Json, HEADER_PAYMENT, HEADER_V2_REQUIRED } from "../header.ts";
import type { PaymentRequired, PaymentRequirements } from "../types.ts";
import type { PaywallSettings } from "./options.ts";

const VALID_SECONDS = 300;

/** What `settings` ask for a resource; `extra` holds the offered nonce, where there is one to offer. */
export function buildRequirements(
  settings: PaywallSettings<never>,
  given: {
    amount: string;
    payTo: string;
    /** The name of the chain in this entry. */
    network: string;
    resource: string;
    validBefore: string;
    extra?: Record<string, unknown>;
  },
): PaymentRequirements {
  const { description, mimeType } = settings;
  const { amount, payTo, network, resource, validBefore, extra } = given;
  return {
    x402Version: 1,
    scheme: "exact",
    network,
    maxAmountRequired: amount,
    resource,
    payTo,
    validBefore,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(extra && { extra }),
  };
}

/** Until when an offer made at `offeredAtMs` is valid, ISO 8601. */
export function endOfOffer(offeredAtMs: number): string {
  return new Date(offeredAtMs + VALID_SECONDS * 1000).toISOString();
}

/**
 * The offer as headers: what existing Hive clients read, and version 2's form of the same, where a chain has one name and
 * stands once.
 */
export function offerHeaders(required: PaymentRequired): Array<[string, string]> {
  const { error, accepts } = required;
  const [first] = accepts;
  const version2 = {
    x402Version: 2,
    error,
    resource: { url: first?.resource, description: first?.description, mimeType: first?.mimeType },
    accepts: accepts.slice(0, 1).map(({ network, maxAmountRequired, payTo, extra }) => ({
      scheme: "exact",
      network: chainIdOf(network) === MAINNET_CHAIN_ID ? MAINNET_CAIP : network,
      // Version 2 counts in the smallest unit.
      amount: String(parseMillis(maxAmountRequired)),
      asset: "HBD",
      payTo,
      maxTimeoutSeconds: VALID_SECONDS,
      extra: { ...extra, paymentFlow: "upfront" },
    })),
  };
  return [
    [HEADER_PAYMENT, encodeBase64Json(required)],
    [HEADER_V2_REQUIRED, encodeBase64Json(version2)],
  ];
}
