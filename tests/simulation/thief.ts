import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { formatMils } from "../../lib/mils.ts";
import { signWithKey } from "../../lib/x402/client/sign-with-key.ts";
import { decodePayment, encodePayment } from "../../lib/x402/codec.ts";
import { accounts } from "./accounts.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import { pause } from "./roles.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";

export type Addresses = {
  shopUrl: string;
  facilitatorUrl: string;
  nodes: readonly string[];
  paths: readonly string[];
  /** Returns whether the shop has claimed a payment, and a facilitator has reserved it for the shop. */
  isBound(truth: Truth): boolean;
};

const ODDS = {
  "sends it again": 0.12,
  "sends it elsewhere": 0.06,
  "settles it": 0.08,
  "settles it by a key": 0.05,
  "broadcasts it": 0.05,
  "forges one": 0.03,
};

/** Creates a party that sees every payment and uses it against the payer's intention. */
export function createThief(stage: Stage, process: SimulatedProcess, at: Addresses) {
  const stream = stage.chance.stream("thief");

  const send = (url: string, header: string) =>
    process.ask({ url, method: "GET", headers: { "x-payment": header }, body: undefined, signal: undefined });
  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    process.ask({
      ...{ url, method: "POST", signal: undefined, body: JSON.stringify(body) },
      headers: { "content-type": "application/json", ...headers },
    });

  /**
   * Records that a party used the payment before the shop did. That party may gain the payment's benefit; a
   * later one may not.
   */
  const meddle = (truth: Truth) => {
    truth.isMeddledWith ||= !at.isBound(truth);
  };

  const act = async (truth: Truth, kind: keyof typeof ODDS, size: number) => {
    const { header, url } = truth;
    await pause(process, size * size * 25_000);
    if (kind === "sends it again") await Promise.all([send(url, header), send(url, header)]);
    if (kind === "sends it elsewhere") {
      const elsewhere = at.paths.map((path) => at.shopUrl + path).filter((other) => other !== url);
      await Promise.all(elsewhere.map((other) => send(other, header)));
    }
    if (kind === "settles it" || kind === "settles it by a key") {
      meddle(truth);
      const headers: Record<string, string> = kind === "settles it" ? {} : { "idempotency-key": "stolen" };
      await post(`${at.facilitatorUrl}/settle`, settleBody(truth), headers);
    }
    if (kind === "broadcasts it") {
      meddle(truth);
      const { signedTransaction } = decodePayment(header).payload;
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "condenser_api.broadcast_transaction",
        params: [signedTransaction],
      };
      await post(stream.pick(at.nodes), call);
    }
    if (kind === "forges one") await send(url, forge(header));
  };

  /** Called with each payment as soon as it is sent. */
  return (truth: Truth): void => {
    const deed = stream.deviate<keyof typeof ODDS>(ODDS);
    if (!deed) return;
    stage.note(`the thief ${deed.kind}`);
    act(truth, deed.kind, deed.size).catch(() => {
      // No one answered.
    });
  };
}

const READ_EVERY_MS = 1500;
/** Number of times a payment is posted. The last times are long after its expiry. */
const POSTS_MOST = 70;

/**
 * Starts a penniless party that reads the blocks and posts every payment in them to every process, without a
 * key and with an invented one. The party must never succeed, unless others had the payment before the shop.
 */
export function startBlockReader(
  stage: Stage,
  process: SimulatedProcess,
  { truths, isCharged, hosts }: Pick<LedgerOfTruth, "truths" | "isCharged"> & { hosts: readonly string[] },
): void {
  if (!stage.chance.stream("block reader").deviate({ "reads blocks": 0.3 })) return;
  const posts = new Map<Truth, number>();

  const post = async (truth: Truth, host: string, key?: string) => {
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    const body = JSON.stringify(settleBody(truth));
    const question = { url: `http://${host}/settle`, method: "POST", headers, body, signal: undefined };
    const answer = await process.ask(question).catch(() => null);
    if (answer?.body.includes('"success":true') && !truth.isMeddledWith)
      stage.violate(`payment ${truth.transfer.ids.legacy.slice(0, 8)}: success for a reader of blocks`);
  };

  const read = () => {
    for (const truth of truths.values()) {
      const count = posts.get(truth) ?? 0;
      if (count >= POSTS_MOST || !isCharged(truth)) continue;
      posts.set(truth, count + 1);
      for (const host of hosts) void post(truth, host, count % 2 === 0 ? undefined : `made-up-${count}`);
    }
    stage.scheduler.after(READ_EVERY_MS, read);
  };
  stage.scheduler.after(READ_EVERY_MS, read);
}

/** Returns a shop's request to `/settle`. */
export function settleBody({ transfer, header, url }: Truth) {
  const paymentPayload = decodePayment(header);
  return {
    x402Version: 1,
    paymentPayload,
    paymentRequirements: {
      x402Version: 1,
      scheme: "exact",
      network: paymentPayload.network,
      maxAmountRequired: formatMils(transfer.amountMils),
      resource: url,
      payTo: transfer.to,
      validBefore: "2030-01-01T00:00:00.000Z",
    },
  };
}

/** Returns the same payment with another memo, signed with another account's key. */
function forge(header: string): string {
  const payment = decodePayment(header);
  const { signedTransaction } = payment.payload;
  const nonce = `forged${"0".repeat(20)}`;
  const [[, operation]] = signedTransaction.operations as [["transfer", Record<string, string>]];
  const transfer = {
    ...signedTransaction,
    operations: [["transfer", { ...operation, memo: `x402:${nonce}` }]],
  } as unknown as Parameters<typeof signWithKey>[0];
  const signatures = [signWithKey(transfer, accounts.mallory.wif, MAINNET_CHAIN_ID)];
  return encodePayment({ ...payment, payload: { nonce, signedTransaction: { ...transfer, signatures } } });
}
