import { MAINNET_CHAIN_ID, networkNames, SANDBOX_CHAIN_ID } from "../../chains.ts";
import { type ChainOptions, readChain } from "./chain.ts";
import type { ParsedRequirements } from "./choose-offer.ts";

/**
 * Reads a 402 answer of version 1 or 2 and returns its first offer of an HBD payment on a supported network
 * (the main chain and a sandbox, unless `chain` selects another), whatever its price and whenever it is
 * settled. The answer's own body stays unread.
 * @throws PaymentError if there is no such offer; TypeError for an invalid `chain`
 * @example const requirements = await parseRequirements(await fetch("https://shop.example/article"));
 */
export async function parseRequirements(
  response: Response,
  chain?: Pick<ChainOptions, "chainId" | "network">,
): Promise<ParsedRequirements> {
  const answer = response.bodyUsed ? response : response.clone();
  const networks = chain
    ? readChain(chain).networks
    : [...networkNames(MAINNET_CHAIN_ID), ...networkNames(SANDBOX_CHAIN_ID)];
  // Loaded with the first offer rather than with the page.
  const [{ allowedOffers, anyTerms, toRequirements }, { readOffers }] = await Promise.all([
    import("./choose-offer.ts"),
    import("./read-offers.ts"),
  ]);
  const [offer] = allowedOffers(await readOffers(answer), { ...anyTerms, account: "", networks });
  return toRequirements(offer);
}
