import type { Config } from "../config.ts";
import { trustNote } from "../hive/agree-among.ts";
import type { HiveClient } from "../hive/client.ts";
import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import type { Store } from "../store/store.ts";
import type { CatalogueOptions } from "../x402/discovery/options.ts";
import { createFacilitator, type HiveFacilitator } from "../x402/facilitator/create-facilitator.ts";
import type { FacilitatorOptions } from "../x402/facilitator/index.ts";
import { createFacilitatorAnswers, type FacilitatorAnswers } from "../x402/facilitator/web-handlers.ts";

export type RunningFacilitator = { facilitator: HiveFacilitator; answers: FacilitatorAnswers };

/** Starts a facilitator, which recovers the payments that an earlier process left open. */
export function startFacilitator(options: {
  store: Store;
  client: HiveClient;
  network: string;
  /** Chain nodes that buyers' browsers can call, if the chain is not the main one. */
  publicNodes?: readonly string[];
  quorum: Config["hive"]["quorum"];
  catalogue: CatalogueOptions;
  /** The account whose wrong transfers are written into its books. */
  sweeps?: string;
  /** True to warn when payments depend on one node, or on too few. */
  warns: boolean;
  /** Called with the seconds that this machine's clock is ahead of the chain's, and with 0 once it is right again. */
  onClock?: (aheadSeconds: number) => void;
}): RunningFacilitator {
  const { store, client, network, publicNodes = [], quorum, catalogue, sweeps, warns, onClock } = options;
  const note = trustNote(client.health().length, quorum);
  if (note !== null && warns) log().warn(note);
  const facilitator = createFacilitator({
    ...{ store, client, network, publicNodes, quorum, catalogue },
    ...(sweeps !== undefined && { sweeps }),
    ...paymentHooks,
    onClock(aheadSeconds) {
      paymentHooks.onClock(aheadSeconds);
      onClock?.(aheadSeconds);
    },
  });
  facilitator.start();
  const answers = createFacilitatorAnswers(facilitator, (error) =>
    log().error({ err: error }, "facilitator failed"),
  );
  return { facilitator, answers };
}

/** Logs and counts the facilitator's actions. */
const paymentHooks = {
  onEvent(event) {
    metrics().paymentEvents.inc({ event: event.kind });
    log()[event.kind === "undone" ? "warn" : "info"](event, "payment");
  },
  onAnswer({ call, outcome, seconds, payer, txId }) {
    metrics().paymentAnswers.inc({ call, outcome });
    metrics().paymentSeconds.observe({ call }, seconds);
    // A payment is logged as an event when it becomes pending, and a sent transfer is asked for every second.
    if (outcome !== "ok" && outcome !== "settlement_pending" && outcome !== "payment_not_seen")
      log().info({ call, reason: outcome, payer, txId }, "payment refused");
  },
  onClock(aheadSeconds) {
    if (aheadSeconds === 0) log().info("this machine's clock is in step with the chain again");
    else
      log().warn(
        { aheadSeconds },
        "this machine's clock differs from the chain's: synchronize it (NTP). Payments continue",
      );
  },
  onFault: (error) =>
    log().warn({ err: error }, "open payments could not be checked; the next round checks them again"),
} satisfies Partial<FacilitatorOptions>;
