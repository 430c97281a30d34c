import type { VerifyResponse } from "../types.ts";
import type { PaymentRecord } from "./payment-record.ts";
import type { Refusal } from "./read-request.ts";
import type { Settlement } from "./settlement.ts";

export function refusedVerification({ reason, payer }: Refusal): VerifyResponse {
  return { isValid: false, invalidReason: reason, ...(payer !== undefined && { payer }) };
}

/**
 * Creates the answer for a payment that is refused before it is claimed, so there is no transaction to
 * name.
 */
export function refusedSettlement({ reason, payer }: Refusal, network: string): Settlement {
  return {
    success: false,
    errorReason: reason,
    ...(payer !== undefined && { payer }),
    transaction: "",
    network,
  };
}

/** Creates the answer about a claimed payment; without `errorReason` it is a success. */
export function settlementAnswer(record: PaymentRecord, errorReason?: string): Settlement {
  const { blockNum, payer, network } = record;
  const txId = record.blockTxId ?? record.txId;
  return {
    success: errorReason === undefined,
    txId,
    ...(blockNum !== undefined && { blockNum, extra: { blockNum } }),
    ...(errorReason !== undefined && { errorReason }),
    payer,
    transaction: txId,
    network,
  };
}
