import { MAINNET_CHAIN_ID, networkNames, SANDBOX_CHAIN_ID } from "../../chains.ts";
import type { PaymentRequirements } from "../types.ts";
import { type ChainOptions, readChain } from "./chain.ts";
import { allowedOffers } from "./choose-offer.ts";
import { readOffers } from "./read-offers.ts";

/**
 * Reads a 402 answer: its first offer of an HBD payment on a known network (of the main chain and of a sandbox, unless
 * `chain` says otherwise). The answer's own body stays unread.
 * @throws PaymentError when there is no such offer; TypeError for a `chain` that is none.
 * @example const requirements = await parseRequirements(await fetch("https://shop.example/article"));
 */
export async function parseRequirements(
  response: Response,
  chain?: Pick<ChainOptions, "chainId" | "network">,
): Promise<PaymentRequirements> {
  const entries = await readOffers(response.bodyUsed ? response : response.clone());
  const [offer] = allowedOffers(entries, {
    account: "",
    networks: chain
      ? readChain(chain).networks
      : [...networkNames(MAINNET_CHAIN_ID), ...networkNames(SANDBOX_CHAIN_ID)],
    maxMillis: Number.POSITIVE_INFINITY,
    allowedPayees: undefined,
  });
  // `allowedOffers` throws rather than give none.
  return (offer as NonNullable<typeof offer>).requirements;
}
