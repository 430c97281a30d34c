import { fork } from "node:child_process";
import { once } from "node:events";
import type { PaywallOptions } from "../../lib/x402/express.ts";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

export const shopPlacesToDie = [
  "after the claim",
  "after the settlement",
  "after the payment is written down",
  "in the handler",
  "before the delivery is written down",
  "in the middle of the content",
] as const;

export type ShopProcessOptions = {
  amount: string;
  receivingAccount: string;
  facilitatorUrl: string;
  network: string;
  publicUrl?: string;
  paymentFlow?: PaywallOptions["paymentFlow"];
  store: { kind: "sqlite"; dataDir: string } | { kind: "redis"; url: string };
  /** The text that is sold (default: "content"). */
  content?: string;
  diesAt?: (typeof shopPlacesToDie)[number] | "after the content was sent";
};

/** Sells a text from a separate process, which can be killed, or kills itself at a given place. */
export async function startShopProcess(options: ShopProcessOptions) {
  const child = fork(bundleOf("tests/harness/serve-shop-process.ts"), [JSON.stringify(options)], {
    silent: true,
  });
  const { output } = collectOutput(child);
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => null)]);
  if (!started) throw new Error(`the shop did not start:\n${output()}`);
  return {
    url: (started[0] as { url: string }).url,
    exited,
    async close() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
