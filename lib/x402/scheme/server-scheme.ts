import type { Price, SchemeNetworkServer } from "@x402/core/types";
import { parseMillis, readAtomic, toMillis } from "../amount.ts";
import { HBD } from "./hbd.ts";

/**
 * The seller's side of HBD payments for the official `x402ResourceServer`: `server.register("hive:mainnet", scheme)`.
 * Payments are settled before the handler runs, unless a route asks for `authorization`.
 * @example const server = new x402ResourceServer(facilitatorClient).register("hive:mainnet", createServerScheme());
 */
export function createServerScheme(): SchemeNetworkServer {
  return {
    scheme: "exact",
    // The official packages' word for "there is only one way".
    defaultAssetTransferMethod: "default",
    paymentFlows: { default: { supported: ["upfront", "authorization"], default: "upfront" } },
    parsePrice: async (price) => toAmount(price),
    getAssetDecimals: (asset) => (asset === HBD.asset ? HBD.decimals : undefined),
    enhancePaymentRequirements: async (requirements) => requirements,
  };
}

/** 0.05, "0.05", "$0.05" and "0.050 HBD" are the same price; an object gives 1/1000 HBD. */
function toAmount(price: Price): { asset: string; amount: string; extra?: Record<string, unknown> } {
  if (typeof price === "object") {
    if (price.asset !== HBD.asset || readAtomic(price.amount) === null)
      throw new RangeError("a price must be a whole number of 1/1000 HBD");
    return price;
  }
  const millis = typeof price === "number" ? toMillis(price) : parsePrice(price);
  if (millis === 0) throw new RangeError("a price of nothing can't be paid");
  return { asset: HBD.asset, amount: String(millis) };
}

function parsePrice(text: string): number {
  const exact = parseMillis(text);
  if (exact !== null) return exact;
  const decimal = /^\$?(\d{1,12}(?:\.\d{1,3}0*)?)(?: HBD)?$/.exec(text)?.[1];
  if (decimal === undefined) throw new RangeError("a price must be such as $0.05 or 0.050 HBD");
  return toMillis(Number(decimal));
}
