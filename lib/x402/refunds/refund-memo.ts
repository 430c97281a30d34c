/** Returns the memo of a refund by the seller's own decision. */
export const memoOfRefund = (paymentId: string): string => `x402:refund:${paymentId}`;

/** Returns the memo of the return of a transfer that bought nothing. */
export const memoOfReturn = (txId: string): string => `x402:return:${txId}`;

/** Returns whether a memo is that of a refund or a return, which nobody pays back in turn. */
export const isRefundMemo = (memo: string): boolean =>
  memo.startsWith(memoOfRefund("")) || memo.startsWith(memoOfReturn(""));
