import type { SettleResponse, VerifyResponse } from "../types.ts";
import type { PaymentRecord } from "./payment-record.ts";
import type { Refusal } from "./read-request.ts";

/** The answer of `/settle` with what other x402 software wants to find: it drops unknown keys, but keeps `extra`. */
export type Settlement = SettleResponse & {
  transaction: string;
  network: string;
  extra?: { blockNum: number };
};

export function refusedVerification({ reason, payer }: Refusal): VerifyResponse {
  return { isValid: false, invalidReason: reason, ...(payer !== undefined && { payer }) };
}

/** Refused before anything was claimed: there is no transaction to name. */
export function refusedSettlement({ reason, payer }: Refusal, network: string): Settlement {
  return {
    success: false,
    errorReason: reason,
    ...(payer !== undefined && { payer }),
    transaction: "",
    network,
  };
}

/** What is known of a claimed payment; a success without `errorReason`. */
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
