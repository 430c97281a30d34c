import { isAccountName } from "../../hive/account-name.ts";
import { assertKnown } from "../check-options.ts";
import { encodeBase64Json } from "../header.ts";
import type { PaymentPayload, PaymentPayloadV2, PaymentRequirementsV2 } from "../types.ts";
import { buildTransfer } from "./build-transfer.ts";
import { type ChainOptions, toChain } from "./chain.ts";
import { anyTerms, chosenOffer, type Offer, type ParsedRequirements } from "./choose-offer.ts";
import type { Head } from "./find-head.ts";
import { makeHolder } from "./holder.ts";
import { identified } from "./payment-identifier.ts";
import { readHead } from "./read-head.ts";
import { createSigner, type Sign, type Signer, signingOptions } from "./signer.ts";

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
 * Signs the transfer that `requirements` ask for, and returns the text of the header that pays them: `x-payment`, or
 * `payment-signature` for an offer of version 2. Nothing is broadcast.
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
  const offer = chosenOffer(requirements, { ...anyTerms, account, networks: chain.networks });
  return signOffer(sign, account, offer, await readHead(chain.nodes));
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
): Promise<PaymentPayload | PaymentPayloadV2> {
  const { transfer, nonce } = buildTransfer(account, offer, head, sign.lifeMs);
  const payload = { signedTransaction: await sign(transfer), nonce, holder: makeHolder() };
  const { asSent, network } = offer;
  if (asSent.version === 1) return { x402Version: 1, scheme: "exact", network, payload };
  const { accepted, resource, extensions } = asSent;
  return {
    ...{ x402Version: 2, accepted, payload },
    ...(resource && { resource }),
    ...(extensions && { extensions: identified(extensions) }),
  };
}
