import { NO_MILS, parseMils } from "../../../mils.ts";
import { buildTransfer, LEAST_LIFE_MS, type UnsignedTransfer } from "../../client/build-transfer.ts";
import { findHead } from "../../client/find-head.ts";
import type { PaymentRequired, PaymentRequirements } from "../../types.ts";
import { texts } from "./data.ts";

/** Long enough for a person to find the wallet's window, unlock it and read. */
const LIFE_MS = 300_000;
/** An offer that ends sooner is renewed. */
const LEAST_OFFER_MS = 240_000;
/** The time that a signed payment needs to reach a block before it expires. */
const SETTLING_MS = 15_000;

/** A transfer to be signed within `leftMs`, and the offer that it pays. */
export type PreparedTransfer = {
  transfer: UnsignedTransfer;
  nonce: string;
  offer: PaymentRequirements;
  leftMs: number;
};

/**
 * Prepares the transfer that pays an offer, or a renewed one of the same terms if little time is left.
 * @throws Error with a sentence for the payer
 */
export async function prepareTransfer(
  account: string,
  offered: PaymentRequirements,
  nodes: readonly string[],
): Promise<PreparedTransfer> {
  const head = await findHead(nodes);
  if (head === "contradiction") throw new Error(texts.contradict);
  if (head === "silence") throw new Error(texts.noNode);
  const { timeMs } = head;
  const isEnding = Date.parse(offered.validBefore) < timeMs + LEAST_OFFER_MS;
  const offer = isEnding ? await renewOffer(offered) : offered;
  const validBeforeMs = Date.parse(offer.validBefore);
  const leftMs = Math.min(LIFE_MS, validBeforeMs - timeMs) - SETTLING_MS;
  if (leftMs < LEAST_LIFE_MS) throw new Error(texts.expired);
  const { payTo, extra, maxAmountRequired } = offer;
  const amountMils = parseMils(maxAmountRequired) ?? NO_MILS;
  const terms = { payTo, amountMils, validBeforeMs, nonce: extra?.nonce as string | undefined };
  return { ...buildTransfer(account, terms, head, LIFE_MS), offer, leftMs };
}

async function renewOffer({ maxAmountRequired, payTo }: PaymentRequirements): Promise<PaymentRequirements> {
  const response = await fetch(location.href, {
    headers: { accept: "application/json" },
    cache: "no-store",
  });
  const [fresh] = response.status === 402 ? ((await response.json()) as PaymentRequired).accepts : [];
  if (fresh?.maxAmountRequired !== maxAmountRequired || fresh.payTo !== payTo) throw new Error(texts.changed);
  return fresh;
}
