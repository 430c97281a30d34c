import { randomBytes } from "node:crypto";
import { networkNames } from "../../lib/chains.ts";
import type { Packing } from "../../lib/hive/packing.ts";
import { formatMils, toMils } from "../../lib/mils.ts";
import { secretOf, signTransaction, transferOf } from "./sign-transaction.ts";

type Chain = { chainId: string; call(method: string, params: unknown): Promise<unknown> };

export type PaymentOptions = {
  from?: string;
  to?: string;
  /** The amount in 1/1000 HBD. */
  mils?: number;
  nonce?: string;
  /** The memo; by default `x402:<nonce>`. */
  memo?: string;
  keys?: readonly Uint8Array[];
  packing?: Packing;
  /** The lifetime in seconds after the chain's head time. */
  livesSeconds?: number;
  form?: "text" | "nai";
  /** Id of the chain that the signature is for; by default this chain's. */
  chainId?: string;
  network?: string;
};

export type SignedPayment = Awaited<ReturnType<typeof signPayment>>;

/**
 * Creates a request to a facilitator with alice's valid payment of 0.050 HBD to shop, unless `options`
 * differ.
 */
export async function signPayment(chain: Chain, options: PaymentOptions = {}) {
  const { from = "alice", to = "shop", mils = 50, form = "text" } = options;
  const { network = networkNames(chain.chainId)[0] } = options;
  const nonce = options.nonce ?? randomBytes(16).toString("hex");
  const head = (await chain.call("condenser_api.get_dynamic_global_properties", [])) as { time: string };
  const headSeconds = Date.parse(`${head.time}Z`) / 1000;
  const signed = await signTransaction(
    { ...chain, chainId: options.chainId ?? chain.chainId },
    [transferOf(from, to, mils, options.memo ?? `x402:${nonce}`)],
    {
      keys: options.keys ?? [secretOf(from, "active")],
      packing: options.packing ?? "legacy",
      form,
      header: { expiration: headSeconds + (options.livesSeconds ?? 60) },
    },
  );
  return {
    txId: signed.id,
    alternateId: signed.otherId,
    headSeconds,
    request: {
      x402Version: 1,
      paymentPayload: {
        x402Version: 1,
        scheme: "exact",
        network,
        payload: { signedTransaction: signed.json as Record<string, unknown>, nonce },
      },
      paymentRequirements: {
        x402Version: 1,
        scheme: "exact",
        network,
        maxAmountRequired: formatMils(toMils(mils)),
        resource: "http://shop.example/articles/one",
        payTo: to,
        validBefore: new Date((headSeconds + 300) * 1000).toISOString(),
      },
    },
  };
}
