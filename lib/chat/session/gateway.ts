import { processWide } from "../../async/process-wide.ts";
import { createFreshValue } from "../../async/stale-while-revalidate.ts";
import { type Config, currentConfig } from "../../config.ts";
import { createHiveClient, type HiveClient } from "../../hive/client.ts";
import { type Backend, type BackendCall, type Caller, createBackend } from "../../mattermost/backend.ts";
import { readCollapsesThreads } from "../../mattermost/threads.ts";
import { metrics } from "../../metrics.ts";
import { sharedStore } from "../../services/shared-store.ts";
import type { Store } from "../../store/store.ts";
import { createIdentities, type Identities } from "../access/identities.ts";
import { createPatVault, type PatVault } from "../access/pat-vault.ts";
import { createUserAddresses, type UserAddresses } from "../access/user-addresses.ts";
import { createKnown, type Known } from "./caches.ts";

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
  /** Which chat user is which account's. */
  identities: Identities;
  addresses: UserAddresses;
  /** The chat tokens of accounts. */
  vault: PatVault;
  /** Whether the backend counts roots and threads apart. @throws CodedError */
  collapsesThreads(): Promise<boolean>;
};

const CALL_TIMEOUT_MS = 10_000;
const SETTINGS_TTL_MS = 600_000;

/** The process's one chat gateway. */
export function chatGateway(): Gateway {
  return processWide("chat-gateway", open);
}

function open(): Gateway {
  const config = currentConfig();
  const store = sharedStore();
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
    identities: createIdentities(store),
    addresses: createUserAddresses(config.sessionSecret),
    vault: createPatVault({ store, secret: config.sessionSecret }),
    collapsesThreads,
  };
}

/** Counts a call to the backend. */
export function recordBackendCall({ method, route, outcome, seconds }: BackendCall): void {
  metrics().backendSeconds.labels(method, route, outcome).observe(seconds);
}
