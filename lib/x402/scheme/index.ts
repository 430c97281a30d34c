import type {
  Network,
  Price,
  SchemeNetworkClient,
  SchemeNetworkFacilitator,
  SchemeNetworkServer,
} from "@x402/core/types";
import { isAccountName } from "../../hive/account-name.ts";
import { type Mils, parseMils, UNLIMITED } from "../../mils.ts";
import { hbdToMils, readAtomic } from "../amount.ts";
import { assertKnown } from "../check-options.ts";
import { type ChainOptions, toChain } from "../client/chain.ts";
import { anyTerms, chosenOffer } from "../client/choose-offer.ts";
import { preparePayment } from "../client/prepare-payment.ts";
import { readHead } from "../client/read-head.ts";
import { createSigner, type Signer, signingOptions } from "../client/signer.ts";
import type { HiveFacilitator } from "../facilitator/index.ts";

type ClientSchemeOptions = Signer & ChainOptions & { account: string };

const known = signingOptions satisfies Record<keyof ClientSchemeOptions, true>;

/**
 * Creates the payer's side of HBD payments for the official `x402Client`: `client.register("hive:*", scheme)`, and
 * `client.registerV1("hive:mainnet", scheme)` for servers of version 1. Spending limits are those of the official
 * client.
 * @throws TypeError for invalid options
 * @example const client = new x402Client().register("hive:*", createClientScheme({ account: "alice", activeKey: "5J..." }));
 */
export function createClientScheme(options: ClientSchemeOptions): SchemeNetworkClient {
  const { account } = options;
  assertKnown(options, known);
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  const chain = toChain(options);
  const sign = createSigner(account, options, chain.chainId);

  return {
    scheme: "exact",
    findDefaultAsset: (asset, network) =>
      asset === "HBD" && chain.networks.includes(network) ? HBD : undefined,
    async createPaymentPayload(x402Version, requirements, context) {
      const offer = chosenOffer(requirements, {
        ...anyTerms,
        account,
        networks: chain.networks,
        maxMils: limitOf(context?.maxAmountPerPayment),
      });
      const payment = await preparePayment(sign, account, offer, await readHead(chain.nodes));
      return x402Version === 1 ? { ...payment } : { x402Version, payload: payment.payload };
    },
  };
}

/**
 * Creates HBD payments for the official `x402Facilitator`: `facilitator.register(["hive:mainnet"], scheme)`, backed by
 * a facilitator of this package.
 * @example new x402Facilitator().register(["hive:mainnet"], createFacilitatorScheme(createFacilitator({ store })));
 */
export function createFacilitatorScheme(
  facilitator: Pick<HiveFacilitator, "verify" | "settle">,
): SchemeNetworkFacilitator {
  return {
    scheme: "exact",
    caipFamily: "hive:*",
    getExtra: () => undefined,
    // The payer signs everything; the facilitator has no account.
    getSigners: () => [],
    verify: (paymentPayload, paymentRequirements) =>
      facilitator.verify({ paymentPayload, paymentRequirements }),
    async settle(paymentPayload, paymentRequirements) {
      const settlement = await facilitator.settle({ paymentPayload, paymentRequirements });
      return { ...settlement, network: settlement.network as Network };
    },
  };
}

/**
 * Creates the seller's side of HBD payments for the official `x402ResourceServer`: `server.register("hive:mainnet",
 * scheme)`. Payments are settled after the handler has succeeded, unless a route asks for `upfront`.
 * @example const server = new x402ResourceServer(facilitatorClient).register("hive:mainnet", createServerScheme());
 */
export function createServerScheme(): SchemeNetworkServer {
  return {
    scheme: "exact",
    // The official packages' name for the only method.
    defaultAssetTransferMethod: "default",
    paymentFlows: { default: { supported: ["authorization", "upfront"], default: "authorization" } },
    parsePrice: async (price) => toAmount(price),
    getAssetDecimals: (asset) => (asset === HBD.asset ? HBD.decimals : undefined),
    enhancePaymentRequirements: async (requirements) => requirements,
  };
}

/**
 * Reads a price: 0.05, "0.05", "$0.05" and "0.050 HBD" are the same; an object states the amount in 1/1000
 * HBD.
 */
function toAmount(price: Price): { asset: string; amount: string; extra?: Record<string, unknown> } {
  if (typeof price === "object") {
    if (price.asset !== HBD.asset || readAtomic(price.amount) === null)
      throw new RangeError("a price must be a whole number of 1/1000 HBD");
    return price;
  }
  const mils = typeof price === "number" ? hbdToMils(price) : parsePrice(price);
  if (mils === 0) throw new RangeError("a price of zero can't be paid");
  return { asset: HBD.asset, amount: String(mils) };
}

/** Reads the limit of the official client, which is a whole number of 1/1000 HBD as text or number. */
function limitOf(most: string | number | bigint | undefined): Mils {
  return most === undefined ? UNLIMITED : (Number(most) as Mils);
}

function parsePrice(text: string): Mils {
  const exact = parseMils(text);
  if (exact !== null) return exact;
  const decimal = /^\$?(\d{1,12}(?:\.\d{1,3}0*)?)(?: HBD)?$/.exec(text)?.[1];
  if (decimal === undefined) throw new RangeError("a price must look like $0.05 or 0.050 HBD");
  return hbdToMils(Number(decimal));
}

/** HBD as the official packages describe an asset worth a dollar. */
const HBD = { asset: "HBD", decimals: 3, symbol: "HBD" } as const;
