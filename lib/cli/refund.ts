import { setTimeout as wait } from "node:timers/promises";
import { environment } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { loadRefundConfig, type RefundConfig, revealKey } from "../refund-config.ts";
import { exitOnStartupError } from "../services/process-end.ts";
import { readOptions, refuse } from "../services/read-options.ts";
import { openStore } from "../store/open-store.ts";
import { PaymentError } from "../x402/client/payment-error.ts";
import {
  createRefunds,
  FacilitatorError,
  type Refund,
  RefundError,
  type Refunds,
} from "../x402/refunds/index.ts";

const EX_OPEN = 1;
/** A transfer that no block includes is signed again after a minute, once two nodes say so. */
const PATIENCE_MS = 180_000;
const BETWEEN_MS = 3000;

const USAGE = `Usage: npm run refund [-- TRANSACTION --reason TEXT [--amount AMOUNT]]

Pays a payment to PAYWALL_ACCOUNT back, once, and waits until no fork can undo it. TRANSACTION is the payment's id, from its receipt. Without arguments, continues every refund that is recorded and not final. Ends with status 0 if all of it is done, else with 1; it is always safe to repeat.

  --reason TEXT      why, up to 200 characters; stored, and shown to buyer and seller
  --amount AMOUNT    less than all of the payment, such as "0.020 HBD"`;

async function openRefunds({ account, key, hive, store: settings }: RefundConfig) {
  const activeKey = revealKey(key);
  const store = await openStore(settings);
  const refunds = createRefunds({ account, activeKey, store, ...hive });
  return {
    refunds,
    async close() {
      await refunds.close();
      await store.close();
    },
  };
}

/** Repeats the work until every refund is done, or the patience ends. */
async function untilDone(work: () => Promise<readonly Refund[]>): Promise<readonly Refund[]> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const refunds = await work();
    if (refunds.every(({ state }) => state === "done") || performance.now() > endMs) return refunds;
    await wait(BETWEEN_MS);
  }
}

const describe = ({ state, paymentId, txId, to, amount, blockNum }: Refund) =>
  state === "done"
    ? `${amount} to ${to} for ${paymentId}: done, in block ${blockNum} as ${txId}`
    : `${amount} to ${to} for ${paymentId}: pending, and continued by npm run refund`;

/** Returns the refunds that a call without a payment continues. */
async function continueAll(refunds: Refunds): Promise<readonly Refund[]> {
  const continued = new Map<string, Refund>();
  await untilDone(async () => {
    const all = await refunds.recover();
    for (const refund of all) continued.set(refund.paymentId, refund);
    return all;
  });
  return [...continued.values()];
}

try {
  const { values, positionals } = readOptions(USAGE, {
    allowPositionals: true,
    options: { reason: { type: "string" }, amount: { type: "string" } },
  });
  const [txId, ...others] = positionals;
  const { reason, amount } = values;
  if (others.length > 0) refuse("One payment at a time");
  if (txId === undefined && (reason !== undefined || amount !== undefined)) refuse("TRANSACTION is missing");
  if (txId !== undefined && !reason) refuse("--reason is missing");
  readEnvFile();
  const { refunds, close } = await openRefunds(loadRefundConfig(environment()));
  try {
    const given = amount === undefined ? {} : { amount };
    const all =
      txId === undefined
        ? await continueAll(refunds)
        : await untilDone(async () => [await refunds.refund(txId, reason ?? "", given)]);
    if (all.length === 0) console.log("No refund is open.");
    for (const refund of all) console.log(describe(refund));
    process.exitCode = all.every(({ state }) => state === "done") ? 0 : EX_OPEN;
  } catch (error) {
    if (error instanceof TypeError) refuse(error.message);
    const isKnown = [RefundError, FacilitatorError, PaymentError].some((kind) => error instanceof kind);
    if (!isKnown) throw error;
    const { code, message } = error as RefundError;
    console.error(`${code}: ${message}`);
    process.exitCode = EX_OPEN;
  } finally {
    await close();
  }
} catch (error) {
  exitOnStartupError(error);
}
