import type { PaymentRequirements as OfficialRequirements, SchemeNetworkClient } from "@x402/core/types";
import { isAccountName } from "../../hive/account-name.ts";
import { formatMillis, parseMillis, readAtomic } from "../amount.ts";
import { type ChainOptions, toChain } from "../client/chain.ts";
import { allowedOffers, type Offer } from "../client/choose-offer.ts";
import { PaymentError } from "../client/payment-error.ts";
import { type Head, readHead } from "../client/read-head.ts";
import { preparePayment } from "../client/sign-payment.ts";
import { createSigner, type Signer } from "../client/signer.ts";
import { refuseUnknown } from "../refuse-unknown.ts";
import { HBD } from "./hbd.ts";

export type ClientSchemeOptions = Signer & ChainOptions & { account: string };

const known = {
  account: true,
  activeKey: true,
  signTransaction: true,
  nodes: true,
  chainId: true,
  network: true,
} as const satisfies Record<keyof ClientSchemeOptions, true>;

/**
 * The payer's side of HBD payments for the official `x402Client`: `client.register("hive:*", scheme)`, and
 * `client.registerV1("hive:mainnet", scheme)` for servers of version 1. Spend limits are the official client's.
 * @throws TypeError for options that make no sense.
 * @example const client = new x402Client().register("hive:*", createClientScheme({ account: "alice", activeKey: "5J..." }));
 */
export function createClientScheme(options: ClientSchemeOptions): SchemeNetworkClient {
  const { account } = options;
  refuseUnknown(options, known);
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  const chain = toChain(options);
  const sign = createSigner(account, options, chain.chainId);

  return {
    scheme: "exact",
    findDefaultAsset: (asset, network) =>
      asset === "HBD" && chain.networks.includes(network) ? HBD : undefined,
    async createPaymentPayload(x402Version, requirements, context) {
      const head = await readHead(chain.nodes);
      const [offer] = allowedOffers([toVersion1(requirements, head)], {
        account,
        networks: chain.networks,
        maxMillis: Number(context?.maxAmountPerPayment ?? Number.POSITIVE_INFINITY),
        allowedPayees: undefined,
      });
      const payment = await preparePayment(sign, account, offer as Offer, head);
      return x402Version === 1 ? payment : { x402Version, payload: payment.payload };
    },
  };
}

/** Version 2 counts in the smallest unit and has a span instead of an end. */
function toVersion1(requirements: OfficialRequirements, head: Head): unknown {
  const { amount, maxTimeoutSeconds } = requirements;
  if (amount === undefined) return requirements;
  const millis = readAtomic(amount) ?? parseMillis(amount);
  if (millis === null) throw new PaymentError("malformed_offer", "The amount of the offer is malformed.");
  return {
    ...requirements,
    maxAmountRequired: formatMillis(millis),
    validBefore: new Date(head.timeMs + maxTimeoutSeconds * 1000).toISOString(),
  };
}
