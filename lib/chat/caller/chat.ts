import {
  createFreshAnswers,
  createScope,
  createStaleWhileRevalidate,
  createThrottle,
  type Scope,
} from "../../async/cache.ts";
import type { Config } from "../../config.ts";
import type { HiveClient } from "../../hive/client.ts";
import {
  createMattermost,
  type Follow,
  type Mattermost,
  type MattermostCall,
  type MattermostCaller,
} from "../../mattermost/mattermost.ts";
import { createServerStatus, type ServerStatus } from "../../mattermost/server-status.ts";
import { readThreadsSetting, type ThreadsSetting } from "../../mattermost/threads.ts";
import { metrics } from "../../metrics.ts";
import type { Store } from "../../store/store.ts";
import { traceCall } from "../../tracing.ts";
import { isRefused } from "../access/explain-failure.ts";
import {
  createIdentities,
  createUserAddresses,
  type Identities,
  type UserAddresses,
} from "../access/identities.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";
import { createOutageWatch } from "../access/outage-watch.ts";
import { createPatVault, type PatVault } from "../access/pat-vault.ts";
import { createUnlistedTokens, type UnlistedTokens } from "../access/unlisted-tokens.ts";
import { type Caches, createCaches } from "./caches.ts";

/** The parts that the chat shares with the rest of the gateway. */
type ChatParts = {
  config: Config;
  store: Store;
  /** @throws CodedError `degraded` */
  requireStore(): Promise<void> | undefined;
  hive: HiveClient;
  sockets: OpenSockets;
  logouts: Logouts;
  /** Returns the time in ms since 1970 against which sign-ins are checked. */
  now(): number;
  /** Ends the login session behind a proof, if there is one. */
  endLogin(proof: string): Promise<void>;
  /** Ends the account's login sessions from before `beforeMs`, except the one behind the proof `except`. */
  endOtherLogins(account: string, beforeMs: number, except: string | null): Promise<void>;
};

/** The facts about a sign-in that a verified access token proves. */
export type IdentityProof = {
  /** Shared by all access tokens of one sign-in: the login session's id, or the digest of the signed text. */
  id: string;
  /** The posting key, or null if an external issuer vouches for the account. */
  key: string | null;
  /** The app that signed the access token itself. */
  app?: string | undefined;
  /** The start of the sign-in, in ms since 1970. */
  madeAtMs: number;
};

/** The dependencies of the chat's use cases. */
export type Chat = ChatParts & {
  mattermost: Mattermost;
  /** Calls with the service's own token. */
  admin: MattermostCaller;
  /** Returns the current status of Mattermost and its database. @throws CodedError if it does not answer */
  serverStatus(): Promise<ServerStatus>;
  /** Returns whether Mattermost currently refuses the service's own token. @throws CodedError if it does not answer */
  isAdminRefused(): Promise<boolean>;
  /** Returns whether Mattermost failed several other calls in the last few seconds. */
  failedLately(): boolean;
  /** Returns whether Mattermost failed any call in the last few seconds. */
  failedOnce(): boolean;
  teamId: string;
  caches: Caches;
  /** The bindings of chat users to accounts. */
  identities: Identities;
  addresses: UserAddresses;
  /** The chat tokens of accounts. */
  vault: PatVault;
  /** Chat tokens without a known sign-in. */
  unlisted: UnlistedTokens;
  /** Values that use cases store across requests. */
  own: Scope;
  /** Returns whether Mattermost separates threads, and who decides that. @throws CodedError */
  threadsSetting(): Promise<ThreadsSetting>;
  /** Discards Mattermost's cached settings, so that the next use reads them again. */
  forgetSettings(): void;
};

const CALL_TIMEOUT_MS = 10_000;
/**
 * A change in Mattermost that does not alter `X-Version-Id` takes effect within a minute, even if requests
 * are rare.
 */
const SETTINGS_TTL_MS = 30_000;
const SETTINGS_MOST_MS = 60_000;
const FORGET_PAUSE_MS = 1000;
const ADMIN_PAUSE_MS = 250;

export function createChat(parts: ChatParts): Chat {
  const { config, store } = parts;
  const outages = createOutageWatch();
  const mattermost = createMattermost({
    baseUrl: config.chat.baseUrl,
    timeoutMs: CALL_TIMEOUT_MS,
    onCall(call) {
      recordMattermostCall(call);
      outages.note(call);
    },
    onVersionId: (versionId) => noteVersionId(versionId),
    ...(config.tracing && { follow: traceMattermostCall }),
  });
  const admin = mattermost.asAdmin(config.chat.adminToken.reveal());
  const threadsSetting = createStaleWhileRevalidate(() => readThreadsSetting(admin), SETTINGS_TTL_MS, {
    mostMs: SETTINGS_MOST_MS,
  });
  // Throttled, because the sockets of all users report the same change.
  const forgetSettings = createThrottle(threadsSetting.forget, FORGET_PAUSE_MS);
  let lastVersionId: string | undefined;
  const noteVersionId = (versionId: string) => {
    if (lastVersionId !== undefined && versionId !== lastVersionId) forgetSettings();
    lastVersionId = versionId;
  };
  threadsSetting().catch(() => {
    // Ignored here: the first listing reads the setting again, and reports a failure to its caller.
  });
  return {
    ...parts,
    mattermost,
    admin,
    serverStatus: createServerStatus(mattermost, config.chat.adminToken),
    failedLately: outages.isRecent,
    failedOnce: outages.isSuspected,
    isAdminRefused: createFreshAnswers(() => isRefused(admin), ADMIN_PAUSE_MS),
    teamId: config.chat.teamId,
    caches: createCaches(),
    identities: createIdentities(store),
    addresses: createUserAddresses(config.sessionSecret),
    vault: createPatVault({ store, secret: config.sessionSecret }),
    unlisted: createUnlistedTokens(store),
    own: createScope(),
    threadsSetting,
    forgetSettings,
  };
}

/** Counts a call to Mattermost. */
function recordMattermostCall({ method, route, outcome, seconds }: MattermostCall): void {
  metrics().mattermostSeconds.observe(seconds, method, route, outcome);
}

/** Traces a call to Mattermost within the request that causes it. */
export const traceMattermostCall: Follow = ({ method, route }) => {
  const call = traceCall(`${method} ${route}`, {
    "http.request.method": method,
    "url.template": route,
    "peer.service": "mattermost",
  });
  return call && { headers: { traceparent: call.traceparent }, end: call.end };
};
