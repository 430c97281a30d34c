import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { formatMils, toMils } from "../../lib/mils.ts";
import { signWithKey } from "../../lib/x402/client/sign-with-key.ts";
import { encodeBase64Json } from "../../lib/x402/header.ts";
import { readTransfer } from "../../lib/x402/transfer.ts";
import type { PaymentRequired, TransferOffer } from "../../lib/x402/types.ts";
import { type Account, accounts } from "./accounts.ts";
import { pause } from "./roles.ts";
import type { SentClaim, SentLedger } from "./sent-truth.ts";
import { blockAt, type SimulatedChain } from "./simulated-chain.ts";
import { EPOCH_MS, type SimulatedProcess, type Stage } from "./simulated-process.ts";

const LIFE_MS = 60_000;
const TRIES_MOST = 600;
const BETWEEN_MS = 2500;
/** The time after which a wallet gives a node up. */
const NODE_MS = 2000;

/** The odds of what else comes to the seller with the memo of a claim. */
const DEEDS = {
  "pays too little first": 0.15,
  "pays twice": 0.15,
  "is copied by another payer": 0.2,
  "is preceded by another payer": 0.1,
  "pays too much": 0.1,
  "gets dust with its memo": 0.1,
};
type Deed = keyof typeof DEEDS;

/** A page that someone buys with a wallet that sends transfers. */
export type Purchase = { name: string; url: string; priceMils: number; startAt: number; isDone: boolean };

/**
 * Starts buyers whose wallets send transfers. Each presents its claim, now and then with long pauses, until the run is
 * calm and all that was sent for it has bought the page or is owed back.
 */
export function startSenders(
  stage: Stage,
  process: SimulatedProcess,
  chain: SimulatedChain,
  given: {
    purchases: readonly Purchase[];
    ledger: SentLedger;
    nodes: readonly string[];
    calmAtMs: number;
    hasReturns: boolean;
  },
): void {
  const { scheduler, note, violate } = stage;
  const stream = stage.chance.stream("senders");
  const { ledger, nodes, calmAtMs, hasReturns } = given;

  const ask = (url: string, headers: Record<string, string> = {}, body?: string) =>
    process
      .ask({ url, method: body === undefined ? "GET" : "POST", headers, body, signal: undefined })
      .catch(() => null);

  /** Sends a transfer to two nodes, either of which may lose it. */
  const send = async (claim: SentClaim, payer: Account, mils: number) => {
    const { head, irreversibleNum } = chain.view(0);
    const referred = blockAt(head, irreversibleNum) ?? head;
    const operation = { from: payer.name, to: "shop", amount: formatMils(toMils(mils)), memo: claim.memo };
    const unsigned = {
      ref_block_num: referred.num & 0xffff,
      ref_block_prefix: Buffer.from(referred.id, "hex").readUInt32LE(4),
      expiration: new Date(EPOCH_MS + scheduler.now() + LIFE_MS + stream.next() * 9000)
        .toISOString()
        .slice(0, 19),
      operations: [["transfer", operation]] as [["transfer", typeof operation]],
      extensions: [] as [],
    };
    const signed = { ...unsigned, signatures: [signWithKey(unsigned, payer.wif, MAINNET_CHAIN_ID)] };
    const transfer = readTransfer(signed);
    if (typeof transfer === "string") return violate(`a wallet sent ${transfer}`);
    ledger.sent(transfer, claim);
    const method = "condenser_api.broadcast_transaction";
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [signed] });
    for (const node of [stream.pick(nodes), stream.pick(nodes)])
      await Promise.race([ask(node, {}, call), pause(process, NODE_MS)]);
  };

  const sendAll = async (claim: SentClaim, deed: Deed | undefined) => {
    const { erin, frank } = accounts;
    const { priceMils } = claim;
    const later = () => pause(process, stream.between(0, 15_000));
    if (deed === "pays too little first") await send(claim, erin, priceMils - 1);
    if (deed === "is preceded by another payer") await send(claim, frank, priceMils);
    if (deed === "gets dust with its memo") await send(claim, frank, 1);
    if (deed !== undefined && stream.next() < 0.5) await later();
    await send(claim, erin, deed === "pays too much" ? priceMils * 2 : priceMils);
    if (deed === "pays twice") await later().then(() => send(claim, erin, priceMils));
    if (deed === "is copied by another payer")
      await later().then(() => send(claim, frank, stream.pick([priceMils, priceMils + 1])));
  };

  const findOffer = async (url: string): Promise<TransferOffer | null> => {
    for (let tries = 0; tries < TRIES_MOST; tries++) {
      const answer = await ask(url);
      const body = answer?.status === 402 ? (JSON.parse(answer.body) as PaymentRequired) : null;
      if (body?.transfer) return body.transfer;
      await pause(process, BETWEEN_MS);
    }
    violate("no transfer is offered");
    return null;
  };

  const buy = async (purchase: Purchase) => {
    const { name, url, priceMils } = purchase;
    const offer = await findOffer(url);
    if (!offer) return;
    const { memo, claim: secret } = offer.extra;
    const claim: SentClaim = { claim: secret, memo, url, priceMils };
    const deed = stream.deviate<Deed>(DEEDS)?.kind;
    note(`${name} ${deed ?? "pays"}`);
    const sending = sendAll(claim, deed);
    if (stream.deviate({ "presents late": 0.2 })) await pause(process, stream.between(10_000, 90_000));
    const accepted: TransferOffer = offer;
    const payload = { type: "memo", claim: secret };
    const headers = { "payment-signature": encodeBase64Json({ x402Version: 2, accepted, payload }) };
    let isSent = false;
    sending.then(
      () => {
        isSent = true;
      },
      (error: unknown) => violate(`${name}: ${String(error)}`),
    );
    for (let tries = 0; tries < TRIES_MOST; tries++) {
      const answer = await ask(url, headers);
      note(`${name}: ${answer?.status} ${answer?.body.slice(0, 100)}`);
      // Until no block can include what was sent any more, something may still be charged.
      const isOver = isSent && scheduler.now() > calmAtMs + 2 * LIFE_MS;
      if (isOver && ledger.isSettled(claim, { hasReturns })) {
        purchase.isDone = true;
        return;
      }
      await pause(process, BETWEEN_MS);
    }
    violate(ledger.describeRest(claim));
  };

  for (const purchase of given.purchases)
    scheduler.after(purchase.startAt, () => {
      buy(purchase).catch((error: unknown) => violate(`${purchase.name}: ${String(error)}`));
    });
}
