import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import type { FacilitatorOptions } from "../x402/facilitator/index.ts";

/** Tells the log and the metrics what a facilitator does. */
export const paymentHooks = {
  onEvent(event) {
    metrics().paymentEvents.inc({ event: event.kind });
    log()[event.kind === "undone" ? "warn" : "info"](event, "payment");
  },
  onAnswer({ call, outcome, seconds, payer, txId }) {
    metrics().paymentAnswers.inc({ call, outcome });
    metrics().paymentSeconds.observe({ call }, seconds);
    // One that is on its way has a line of its own.
    if (outcome !== "ok" && outcome !== "settlement_pending")
      log().info({ call, reason: outcome, payer, txId }, "payment refused");
  },
  onClock(aheadSeconds) {
    if (aheadSeconds === 0) log().info("this machine's clock agrees with the chain's again");
    else
      log().warn(
        { aheadSeconds },
        "this machine's clock is wrong, by the chain's: set it (NTP). Payments go on",
      );
  },
  onFault: (error) => log().warn({ err: error }, "open payments could not be looked after"),
} satisfies Partial<FacilitatorOptions>;

/** Tells the metrics of chain nodes that gave no answer. */
export const onFailover = (call: "read" | "broadcast") => metrics().chainFailovers.inc({ call });
