import { MAINNET_CHAIN_ID, networkNames, SANDBOX_CHAIN_ID } from "../../chains.ts";
import { decodeBase64Json, HEADER_PAYMENT } from "../header.ts";
import { readJson } from "../read-json.ts";
import type { PaymentRequirements } from "../types.ts";
import { type ChainOptions, readChain } from "./chain.ts";
import { allowedOffers } from "./choose-offer.ts";

const MAX_HEADER_CHARACTERS = 65_536;
const MAX_OFFERS = 50;

/** The entries of `accepts` as the server sent them, from the body of a 402 answer or else from its header; none is fine. */
export async function readOffers(response: Response): Promise<unknown[]> {
  const fromBody = acceptsOf(await readJson(response));
  return fromBody.length > 0 ? fromBody : acceptsOf(readHeader(response.headers.get(HEADER_PAYMENT)));
}

/** Returns whether a 402 answer says that its payment was used before; the answer stays readable. */
export async function saysReplayed(response: Response): Promise<boolean> {
  const answer = (await readJson(response.clone())) as { code?: unknown } | null;
  return answer?.code === "payment_replayed";
}

function acceptsOf(value: unknown): unknown[] {
  const accepts = (value as { accepts?: unknown } | null | undefined)?.accepts;
  return Array.isArray(accepts) ? accepts.slice(0, MAX_OFFERS) : [];
}

function readHeader(text: string | null): unknown {
  try {
    return text === null ? null : decodeBase64Json(text, MAX_HEADER_CHARACTERS);
  } catch {
    // A header of something else: as good as none.
    return null;
  }
}

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
