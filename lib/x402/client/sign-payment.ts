import { isAccountName } from "../../hive/account-name.ts";
import { assertKnown } from "../check-options.ts";
import type { PaymentRequirementsV2 } from "../types.ts";
import { type ChainOptions, toChain } from "./chain.ts";
import type { ParsedRequirements } from "./choose-offer.ts";
import { readHead } from "./read-head.ts";
import { createSigner, type Signer, signingOptions } from "./signer.ts";

export type SignPaymentOptions = Signer &
  ChainOptions & {
    account: string;
    /** An offer from `parseRequirements`, or an entry of `accepts` of either version. */
    requirements: ParsedRequirements | PaymentRequirementsV2;
  };

const known = {
  ...signingOptions,
  requirements: true,
} as const satisfies Record<keyof SignPaymentOptions, true>;

/**
 * Signs the transfer that `requirements` ask for, and returns the text of its header: `x-payment`, or
 * `payment-signature` for an offer of version 2. Nothing is broadcast. The text contains the secret that
 * binds the payment to its holder: store it as long as the payment, and send it only to the seller.
 * @throws PaymentError for requirements that cannot be paid, and if the chain nodes do not answer or contradict each
 * other; TypeError for other options
 * @example const header = await signPayment({ account: "alice", activeKey: "5J...", requirements });
 */
export async function signPayment(options: SignPaymentOptions): Promise<string> {
  const { account, requirements } = options;
  assertKnown(options, known);
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  const chain = toChain(options);
  const sign = createSigner(account, options, chain.chainId);
  // Loaded with the first payment rather than with the page.
  const [{ anyTerms, chosenOffer }, { signOffer }] = await Promise.all([
    import("./choose-offer.ts"),
    import("./prepare-payment.ts"),
  ]);
  const offer = chosenOffer(requirements, { ...anyTerms, account, networks: chain.networks });
  return signOffer(sign, account, offer, await readHead(chain.nodes));
}
