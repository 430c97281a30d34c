import { currentConfig } from "../../../lib/config.ts";
import { createHiveClient, type HiveClient } from "../../../lib/hive/client.ts";
import { log } from "../../../lib/log.ts";
import { onFailover, paymentHooks } from "../../../lib/payment-hooks.ts";
import { processWide } from "../../../lib/process-wide.ts";
import { sharedStore } from "../../../lib/store/shared-store.ts";
import { createFacilitator, type HiveFacilitator } from "../../../lib/x402/facilitator/create-facilitator.ts";
import {
  createFacilitatorHandlers,
  type FacilitatorHandlers,
} from "../../../lib/x402/facilitator/web-handlers.ts";

type AppFacilitator = { facilitator: HiveFacilitator; handlers: FacilitatorHandlers; client: HiveClient };
type Opening = { opened: Promise<AppFacilitator> | null };

/** The app's one facilitator; the first call starts the recovery of payments that an earlier process left open. */
export function appFacilitator(): Promise<AppFacilitator> {
  const opening = processWide<Opening>("facilitator", () => ({ opened: null }));
  opening.opened ??= open().catch((error: unknown) => {
    opening.opened = null;
    throw error;
  });
  return opening.opened;
}

async function open(): Promise<AppFacilitator> {
  const { hive, x402 } = currentConfig();
  const client = createHiveClient({ ...hive, onFailover });
  const facilitator = createFacilitator({
    store: await sharedStore(),
    client,
    network: x402.network,
    ...paymentHooks,
  });
  facilitator.start();
  const handlers = createFacilitatorHandlers(facilitator, (error) =>
    log().error({ err: error }, "facilitator failed"),
  );
  return { facilitator, handlers, client };
}
