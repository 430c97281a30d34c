import { createStaleWhileRevalidate } from "../../async/cache.ts";
import { createScope, type Scope } from "../../async/scope.ts";
import type { Config } from "../../config.ts";
import type { HiveClient } from "../../hive/client.ts";
import type { TokenBuckets } from "../../http/rate-limit.ts";
import {
  type Backend,
  type BackendCall,
  createBackend,
  type MattermostSession,
} from "../../mattermost/backend.ts";
import { readCollapsesThreads } from "../../mattermost/posts.ts";
import { createServerStatus, type ServerStatus } from "../../mattermost/server-status.ts";
import { metrics } from "../../metrics.ts";
import type { Store } from "../../store/store.ts";
import {
  createIdentities,
  createUserAddresses,
  type Identities,
  type UserAddresses,
} from "../access/identities.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";
import { createPatVault, type PatVault } from "../access/pat-vault.ts";
import { type Caches, createCaches } from "./caches.ts";

/** What a gateway's chat shares with the rest of it. */
type GatewayParts = {
  config: Config;
  store: Store;
  /** @throws CodedError `degraded` */
  requireStore(): Promise<void>;
  hive: HiveClient;
  sockets: OpenSockets;
  logouts: Logouts;
  quotas: TokenBuckets;
};

/** What the chat's use cases work with. */
export type Gateway = GatewayParts & {
  backend: Backend;
  /** Access with the service's own token. */
  admin: MattermostSession;
  /** How the backend and its database are, now. @throws CodedError when it gives no answer */
  serverStatus(): Promise<ServerStatus>;
  teamId: string;
  caches: Caches;
  /** Which chat user is which account's. */
  identities: Identities;
  addresses: UserAddresses;
  /** The chat tokens of accounts. */
  vault: PatVault;
  /** What use cases keep from request to request. */
  own: Scope;
  /** Whether the backend counts roots and threads apart. @throws CodedError */
  collapsesThreads(): Promise<boolean>;
};

const CALL_TIMEOUT_MS = 10_000;
const SETTINGS_TTL_MS = 600_000;

export function createGateway(parts: GatewayParts): Gateway {
  const { config, store } = parts;
  const backend = createBackend({
    baseUrl: config.chat.baseUrl,
    timeoutMs: CALL_TIMEOUT_MS,
    onCall: recordBackendCall,
  });
  const admin = backend.asAdmin(config.chat.adminToken.reveal());
  const collapsesThreads = createStaleWhileRevalidate(() => readCollapsesThreads(admin), SETTINGS_TTL_MS);
  collapsesThreads().catch(() => {
    // Read ahead of the first listing, which asks again and tells its caller.
  });
  return {
    ...parts,
    backend,
    admin,
    serverStatus: createServerStatus(backend),
    teamId: config.chat.teamId,
    caches: createCaches(),
    identities: createIdentities(store),
    addresses: createUserAddresses(config.sessionSecret),
    vault: createPatVault({ store, secret: config.sessionSecret }),
    own: createScope(),
    collapsesThreads,
  };
}

/** Counts a call to the backend. */
export function recordBackendCall({ method, route, outcome, seconds }: BackendCall): void {
  metrics().backendSeconds.labels(method, route, outcome).observe(seconds);
}
