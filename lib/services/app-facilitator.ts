import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { trustNote } from "../hive/agree-among.ts";
import { createHiveClient, type HiveClient } from "../hive/client.ts";
import { log } from "../log.ts";
import { createFacilitator, type HiveFacilitator } from "../x402/facilitator/create-facilitator.ts";
import { createFacilitatorHandlers, type FacilitatorHandlers } from "../x402/facilitator/web-handlers.ts";
import { onFailover, paymentHooks } from "./payment-hooks.ts";
import { sharedStore } from "./shared-store.ts";

type AppFacilitator = { facilitator: HiveFacilitator; handlers: FacilitatorHandlers; client: HiveClient };
const opening = () => processWide<{ opened: AppFacilitator | null }>("facilitator", () => ({ opened: null }));

/** The app's one facilitator; the first call starts the recovery of payments that an earlier process left open. */
export function appFacilitator(): AppFacilitator {
  const present = opening();
  present.opened ??= open();
  return present.opened;
}

/** Ends the looking after open payments, if it was begun; those in work come to their end. */
export async function closeAppFacilitator(): Promise<void> {
  const { opened } = opening();
  await opened?.facilitator.close();
  await opened?.client.close();
}

function open(): AppFacilitator {
  const { hive, x402, sandbox } = currentConfig();
  const client = createHiveClient({ ...hive, onFailover });
  const note = trustNote(client.health().length, hive.quorum);
  if (note !== null && sandbox === null) log().warn(note);
  const facilitator = createFacilitator({
    store: sharedStore(),
    client,
    network: x402.network,
    quorum: hive.quorum,
    ...paymentHooks,
  });
  facilitator.start();
  const handlers = createFacilitatorHandlers(facilitator, (error) =>
    log().error({ err: error }, "facilitator failed"),
  );
  return { facilitator, handlers, client };
}
