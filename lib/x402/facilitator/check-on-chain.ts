import { type ChainAccount, readAccounts, readAccountsFromTwo } from "../../hive/accounts.ts";
import type { HiveClient } from "../../hive/client.ts";
import { findTransaction } from "../../hive/transaction-status.ts";
import type { SignedTransfer } from "../transfer.ts";
import { type ChainClock, CLOCK_AGE_MS } from "./chain-clock.ts";
import { findPacking } from "./check-authority.ts";
import { createResourceCheck } from "./check-resources.ts";
import type { Payment, Refusal } from "./read-request.ts";
import type { Reason } from "./reasons.ts";
import { type CheckTapos, createTaposCheck } from "./tapos.ts";

/** A node needs the transaction before its end: two blocks. */
const MIN_LIFE_MS = 6000;
const MAX_LIFE_MS = 600_000;

/** The ids of a payment: the one that the chain will know it by, and that of its other packing. */
export type Identity = { txId: string; twinId: string };

/** Asks the chain everything that it will check itself when the payment is broadcast. */
export type CheckOnChain = (payment: Payment) => Promise<Identity | Refusal>;

/** Makes the check; for amounts from `twoNodesFromMillis` (1/1000 HBD) on, two nodes must agree about the payer. */
export function createChainCheck(options: {
  client: HiveClient;
  clock: ChainClock;
  twoNodesFromMillis: number;
}): CheckOnChain {
  const { client, clock } = options;
  const checkTapos: CheckTapos = createTaposCheck(client, clock);
  const isExhausted = createResourceCheck(client);

  const readViews = async ({ from, to, amountMillis }: SignedTransfer) =>
    amountMillis >= options.twoNodesFromMillis
      ? readAccountsFromTwo(client, [from, to])
      : [await readAccounts(client, [from, to])];

  return async (payment) => {
    const { transfer } = payment;
    const refuse = (reason: Reason): Refusal => ({ reason, payer: transfer.from });
    const { headTimeMs } = await clock(CLOCK_AGE_MS);
    const late = findFaultInTime(payment, headTimeMs);
    if (late) return refuse(late);

    const [isInChain, views, isOutOfCredits] = await Promise.all([
      checkTapos(transfer),
      readViews(transfer),
      isExhausted(transfer.from, headTimeMs),
    ]);
    if (!isInChain) return refuse("tapos_mismatch");
    const payers: ChainAccount[] = [];
    for (const view of views) {
      const payer = view.get(transfer.from);
      if (!payer || !view.has(transfer.to)) return refuse("account_not_found");
      payers.push(payer);
    }
    const packings = await Promise.all(payers.map((payer) => findPacking(client, transfer, payer)));
    const [packing = "authority_not_satisfied"] = packings;
    if (packing === "signature_invalid" || packing === "authority_not_satisfied") return refuse(packing);
    if (packings.some((other) => other !== packing)) return refuse("authority_not_satisfied");

    const twin = packing === "legacy" ? "hf26" : "legacy";
    const identity = { txId: transfer.ids[packing], twinId: transfer.ids[twin] };
    const isCovered = !isOutOfCredits && payers.every(({ hbdMillis }) => hbdMillis >= transfer.amountMillis);
    if (isCovered || (await isKnownToChain(client, transfer, identity.txId))) return identity;
    return refuse("insufficient_funds");
  };
}

function findFaultInTime(payment: Payment, headTimeMs: number): Reason | null {
  const { expirationMs } = payment.transfer;
  // The payer counted his seconds from a head that may be two blocks ahead of ours.
  const longestMs = Math.min(MAX_LIFE_MS, payment.maxTimeoutMs + MIN_LIFE_MS);
  const latestMs = Math.min(payment.validBeforeMs, headTimeMs + longestMs);
  if (payment.validBeforeMs <= headTimeMs) return "requirements_expired";
  if (expirationMs <= headTimeMs + MIN_LIFE_MS) return "transaction_expired";
  return expirationMs > latestMs ? "expiration_too_far" : null;
}

/** Somebody else may have broadcast it already: then its amount is gone from the balance because it was paid. */
async function isKnownToChain(client: HiveClient, transfer: SignedTransfer, id: string): Promise<boolean> {
  const status = await findTransaction(client, { id, expirationMs: transfer.expirationMs });
  return status.kind === "included" || status.kind === "mempool";
}
