import { decodePayment, encodePayment } from "../../lib/x402/codec.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";

const READ_EVERY_MS = 2500;
/** Number of times a payment is presented everywhere. The last times are long after its expiry. */
const ROUNDS_MOST = 30;

/**
 * Starts a penniless party that reads the blocks, reassembles every payment in them, without its holder's
 * secret or with another, and presents it to every process, for its page and for another one. The party must
 * never gain anything.
 */
export function startCopier(
  stage: Stage,
  process: SimulatedProcess,
  given: Pick<LedgerOfTruth, "truths" | "isCharged"> & {
    hosts: readonly string[];
    paths: readonly string[];
  },
): void {
  const stream = stage.chance.stream("copier");
  if (!stream.deviate({ "copies payments": 0.4 })) return;
  const rounds = new Map<Truth, number>();

  const show = async (truth: Truth, host: string, path: string, header: string) => {
    // All machines of a shop serve the same site.
    const { host: site } = new URL(truth.url);
    const question = {
      url: `http://${host}${path}`,
      method: "GET",
      headers: { "x-payment": header, host: site },
      body: undefined,
      signal: undefined,
    };
    const answer = await process.ask(question).catch(() => null);
    // A thief who had the payment before the shop, and broadcast it, had it in a block before anyone claimed
    // it.
    if (!truth.isMeddledWith && /^(content for|owned by) /.test(answer?.body ?? ""))
      stage.violate(`payment ${truth.transfer.ids.legacy.slice(0, 8)}: its content for a reader of blocks`);
  };

  const copy = () => {
    for (const truth of given.truths.values()) {
      const count = rounds.get(truth) ?? 0;
      if (!truth.hasHolder || count >= ROUNDS_MOST || !given.isCharged(truth)) continue;
      rounds.set(truth, count + 1);
      const header = copyOf(truth.header, count % 2 === 0 ? undefined : "t".repeat(43));
      const paths = new Set([new URL(truth.url).pathname, stream.pick(given.paths)]);
      for (const host of given.hosts) for (const path of paths) void show(truth, host, path, header);
    }
    stage.scheduler.after(READ_EVERY_MS, copy);
  };
  stage.scheduler.after(READ_EVERY_MS, copy);
}

/** Returns the payment with another secret than its holder's, or without one, as other clients send it. */
export function copyOf(header: string, holder?: string): string {
  const payment = decodePayment(header);
  const { holder: _secret, ...copied } = payment.payload;
  return encodePayment({ ...payment, payload: { ...copied, ...(holder !== undefined && { holder }) } });
}
