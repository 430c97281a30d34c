import dhive from "@hiveio/dhive";

type Purse = { account: string; activeKey: string; nodes: readonly string[]; chainId: string };
type Offer = { scheme: string; network: string; maxAmountRequired: string; payTo: string };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const decode = (text: string) => JSON.parse(Buffer.from(text, "base64").toString("utf8"));

/**
 * Pays on the wire as the reference client for Hive does: it reads the first offer in the header `x-payment`,
 * signs with its own nonce, and supports only version 1. The transfer expires a minute from now by this
 * machine's clock.
 * @throws Error without such an offer
 */
export async function payAsHiveX402(
  url: string,
  { account, activeKey, nodes, chainId }: Purse,
): Promise<Response> {
  const refusal = await fetch(url);
  if (refusal.status !== 402) return refusal;
  const header = refusal.headers.get("x-payment");
  const { accepts = [] } = (header === null ? {} : decode(header)) as { accepts?: Offer[] };
  const [offer] = accepts;
  if (!offer?.maxAmountRequired) throw new Error("no requirements in x-payment");
  const client = new dhive.Client([...nodes], { chainId });
  const head = await client.database.getDynamicGlobalProperties();
  const nonce = crypto.randomUUID().replaceAll("-", "");
  const transfer = { from: account, to: offer.payTo, amount: offer.maxAmountRequired, memo: `x402:${nonce}` };
  const transaction: dhive.Transaction = {
    ref_block_num: head.head_block_number & 0xffff,
    ref_block_prefix: Buffer.from(head.head_block_id, "hex").readUInt32LE(4),
    expiration: new Date(Date.now() + 60_000).toISOString().slice(0, 19),
    operations: [["transfer", transfer]],
    extensions: [],
  };
  const key = dhive.PrivateKey.fromString(activeKey);
  const signedTransaction = dhive.cryptoUtils.signTransaction(transaction, key, Buffer.from(chainId, "hex"));
  const { network } = offer;
  const payment = { x402Version: 1, scheme: "exact", network, payload: { signedTransaction, nonce } };
  return fetch(url, { headers: { "x-payment": encode(payment) } });
}
