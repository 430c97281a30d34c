import { createPacedRefunds, type Refunds, type RefundsOptions } from "./paced-refunds.ts";

/**
 * Creates the refunds of an account. Each refund is recorded with its signed transfer before the transfer is
 * sent.
 * @throws TypeError for invalid options
 * @example const refunds = createRefunds({ ...sandbox({ account: "shop" }), dataDir: ".data" });
 * await refunds.refund(txId, "the report was empty");
 */
export function createRefunds(options: RefundsOptions): Refunds {
  return createPacedRefunds(options, { waitMs: 8000, pollMs: 500 });
}

export type { HiveClient } from "../../hive/client.ts";
export type { Store } from "../../store/store.ts";
export type { SignTransaction } from "../client/signer.ts";
export { FacilitatorError, type FacilitatorErrorCode } from "../facilitator/facilitator-error.ts";
export type { Refund, Refunds, RefundsOptions } from "./paced-refunds.ts";
export { RefundError, type RefundErrorCode } from "./refund-error.ts";
