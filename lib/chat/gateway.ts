import { type Config, currentConfig } from "../config.ts";
import { createHiveClient, type HiveClient } from "../hive/client.ts";
import { type Backend, type Caller, createBackend } from "../mattermost/backend.ts";
import { readCollapsesThreads } from "../mattermost/server-config.ts";
import { processWide } from "../process-wide.ts";
import { sharedStore } from "../store/shared-store.ts";
import type { Store } from "../store/store.ts";
import { createFreshValue } from "./fresh-value.ts";
import { createKnown, type Known } from "./known.ts";
import { recordBackendCall } from "./record-backend-call.ts";

/** What the chat's use cases work with. */
export type Gateway = {
  config: Config;
  store: Store;
  hive: HiveClient;
  backend: Backend;
  /** Access with the service's own token. */
  admin: Caller;
  teamId: string;
  known: Known;
  /** Whether the backend counts roots and threads apart. @throws CodedError */
  collapsesThreads(): Promise<boolean>;
};

const CALL_TIMEOUT_MS = 10_000;
const SETTINGS_TTL_MS = 600_000;

type Opening = { gateway: Promise<Gateway> | null };

/** The process's one chat gateway; an opening that failed is tried again by the next call. */
export function chatGateway(): Promise<Gateway> {
  const opening = processWide<Opening>("chat-gateway", () => ({ gateway: null }));
  opening.gateway ??= open().catch((error: unknown) => {
    opening.gateway = null;
    throw error;
  });
  return opening.gateway;
}

async function open(): Promise<Gateway> {
  const config = currentConfig();
  const store = await sharedStore();
  const backend = createBackend({
    baseUrl: config.chat.baseUrl,
    timeoutMs: CALL_TIMEOUT_MS,
    onCall: recordBackendCall,
  });
  const admin = backend.asAdmin(config.chat.adminToken.reveal());
  const collapsesThreads = createFreshValue(() => readCollapsesThreads(admin), SETTINGS_TTL_MS);
  collapsesThreads().catch(() => {
    // Read ahead of the first listing, which asks again and tells its caller.
  });
  return {
    config,
    store,
    hive: createHiveClient({ nodes: config.hive.nodes, chainId: config.hive.chainId }),
    backend,
    admin,
    teamId: config.chat.teamId,
    known: createKnown(),
    collapsesThreads,
  };
}
