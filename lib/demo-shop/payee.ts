import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";

type Paid = Pick<Config, "x402">;

/** Returns true if the operator has named an account to pay. Without one, the shop sells nothing. */
export const isShopOpen = ({ x402 }: Paid): boolean => x402.account !== null;

/** Returns the account that is paid for the articles. @throws CodedError `not_found` if the operator has named none */
export function payeeOf({ x402 }: Paid): string {
  if (x402.account !== null) return x402.account;
  throw new CodedError("not_found", {
    message: "Nothing is for sale here: the operator has not set PAYWALL_ACCOUNT, the account to pay.",
  });
}
