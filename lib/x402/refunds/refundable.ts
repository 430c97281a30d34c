import { RefundError } from "./refund-error.ts";
import { isRefundMemo } from "./refund-memo.ts";

/** Returns whether an account can pay a transfer back: another one sent it, with any memo but a refund's. */
export const isRefundable = (
  { from, to, memo }: { from: string; to: string; memo: string },
  account: string,
): boolean => to === account && from !== account && !isRefundMemo(memo);

/** Returns the refusal of any other transfer. */
export const notPaidTo = (account: string): RefundError =>
  new RefundError(
    "not_paid_to_account",
    `The transfer did not go from another account to ${account}, or is a refund itself.`,
  );
