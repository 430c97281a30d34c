import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signingDigest } from "../../lib/hive/packing.ts";
import { recoverPublicKey } from "../../lib/hive/recover-key.ts";
import { readTransfer } from "../../lib/x402/transfer.ts";
import { BENCH_CHAIN_ID } from "./verify-payment.ts";

/**
 * The minimal cost of any verification: HTTP, JSON, one digest and one recovered key, without a chain or a
 * store.
 */
const server = createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { paymentPayload } = JSON.parse(Buffer.concat(chunks).toString());
  const transfer = readTransfer(paymentPayload.payload.signedTransaction);
  const [signature] = typeof transfer === "string" ? [] : transfer.signatures;
  const isValid =
    typeof transfer !== "string" &&
    signature !== undefined &&
    recoverPublicKey(signingDigest(transfer.packed.legacy, BENCH_CHAIN_ID), signature) !== null;
  outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ isValid }));
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
