import { isAccountName } from "../../hive/account-name.ts";
import { assertKnown } from "../check-options.ts";
import { encodeBase64Json } from "../header.ts";
import type { PaymentPayload, PaymentRequirements } from "../types.ts";
import { buildTransfer } from "./build-transfer.ts";
import { type ChainOptions, toChain } from "./chain.ts";
import { allowedOffers, type Offer } from "./choose-offer.ts";
import type { Head } from "./find-head.ts";
import { makeHolder } from "./holder.ts";
import { readHead } from "./read-head.ts";
import { createSigner, type Sign, type Signer, signingOptions } from "./signer.ts";

export type SignPaymentOptions = Signer &
  ChainOptions & { account: string; requirements: PaymentRequirements };

const known = {
  ...signingOptions,
  requirements: true,
} as const satisfies Record<keyof SignPaymentOptions, true>;

/**
 * Signs the transfer that `requirements` ask for, and returns the text of the `x-payment` header. Nothing is broadcast.
 * The text contains the secret that binds the payment to its holder: store it as long as the payment, and send it only
 * to the seller.
 * @throws PaymentError for requirements that cannot be paid, and if no chain node answers; TypeError for other options
 * @example const header = await signPayment({ account: "alice", activeKey: "5J...", requirements });
 */
export async function signPayment(options: SignPaymentOptions): Promise<string> {
  const { account, requirements } = options;
  assertKnown(options, known);
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  const chain = toChain(options);
  const sign = createSigner(account, options, chain.chainId);
  const rules = {
    account,
    networks: chain.networks,
    maxMillis: Number.POSITIVE_INFINITY,
    allowedPayees: undefined,
  };
  const [offer] = allowedOffers([requirements], rules);
  return signOffer(sign, account, offer as Offer, await readHead(chain.nodes));
}

/** Signs one offer and returns the header's text. */
export async function signOffer(sign: Sign, account: string, offer: Offer, head: Head): Promise<string> {
  return encodeBase64Json(await preparePayment(sign, account, offer, head));
}

/** Signs one offer, and adds the secret of its holder. */
export async function preparePayment(
  sign: Sign,
  account: string,
  offer: Offer,
  head: Head,
): Promise<PaymentPayload> {
  const { transfer, nonce } = buildTransfer(account, offer, head, sign.lifeMs);
  return {
    x402Version: 1,
    scheme: "exact",
    network: offer.requirements.network,
    payload: { signedTransaction: await sign(transfer), nonce, holder: makeHolder() },
  };
}
