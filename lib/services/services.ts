import { createScope, type Scope } from "../async/cache.ts";
import { type Authenticator, createAuthenticator } from "../auth/authenticator.ts";
import { createChallenges } from "../auth/challenges.ts";
import { createLoginSessions, createSessionCookie, type SessionCookie } from "../auth/login-sessions.ts";
import { createExternalIssuer, createTokenIssuer } from "../auth/token-issuer.ts";
import { explainFailure } from "../chat/access/explain-failure.ts";
import { createLogouts, createOpenSockets, type Logouts, type OpenSockets } from "../chat/access/logouts.ts";
import { createGateway, type Gateway } from "../chat/session/gateway.ts";
import { openSession, readOwnId } from "../chat/session/session.ts";
import { watchSignIns } from "../chat/session/watch-sign-ins.ts";
import type { Config } from "../config.ts";
import type { Readiness } from "../contract/answers.ts";
import { hasLostKey } from "../hive/access-token.ts";
import { createAuthorityCache, readPostingAuthority } from "../hive/accounts.ts";
import type { HiveClient } from "../hive/client.ts";
import { areCookiesSecure } from "../http/plain-http.ts";
import type { Store } from "../store/store.ts";
import { createFoundation, type Foundation } from "./foundation.ts";
import { createReadiness } from "./readiness.ts";

/** All that one gateway is made of. Several may run in one process; they share its log and metrics alone. */
export type Services = Foundation & {
  config: Config;
  chat: Gateway;
  sockets: OpenSockets;
  logouts: Logouts;
  /** A failure is not kept: the next call tries again. @throws CodedError `degraded` */
  authentication(): Promise<Authentication>;
  readiness(): Promise<Readiness>;
  /** Mattermost's own trouble behind a refusal, where that is what it is. Never rejects. */
  explain(error: unknown): Promise<unknown>;
  /** Whose PAT it is: their user id at Mattermost, which is asked where no bootstrap gave the PAT. @throws CodedError */
  personOf(pat: string, signal: AbortSignal): Promise<string>;
  /** Begins what waits for no request: open payments come to their end, sign-ins are watched, and the log tells what readiness warns of. */
  start(): void;
  own: Scope;
};

/** Creates a gateway's services; what needs the network or a disk begins with its first use. */
export function createServices(config: Config): Services {
  /** Offset from the chain's clock: a machine clock that was set back must not revive an expired token. */
  let clockAheadMs = 0;
  const now = () => Date.now() - clockAheadMs;
  const foundation = createFoundation({
    config,
    network: config.x402.network,
    warns: config.sandbox === null,
    ...(config.sandbox?.chain && { publicNodes: [config.sandbox.chain.url] }),
    onClock(aheadSeconds) {
      clockAheadMs = aheadSeconds * 1000;
    },
  });
  const { http, store, requireStore, hive } = foundation;
  const sockets = createOpenSockets();
  const logouts = createLogouts(store);
  // Where the store is away, the other processes learn of it once they are asked for something with that PAT.
  http.tokens.onLoss((key) => void logouts.announce(key).catch(() => undefined));
  let chat: Gateway | null = null;
  let authentication: Promise<Authentication> | null = null;
  let endWatch: (() => void) | null = null;

  const services: Services = {
    ...foundation,
    config,
    get chat() {
      const { end: endLogin, endOthers: endOtherLogins } = createLoginSessions(store);
      chat ??= createGateway({
        config,
        store,
        requireStore,
        hive,
        sockets,
        logouts,
        now,
        endLogin,
        endOtherLogins,
      });
      return chat;
    },
    sockets,
    logouts,
    authentication() {
      authentication ??= requireStore()
        .then(() => createAuthentication({ config, store, hive, now }))
        .catch((error: unknown) => {
          authentication = null;
          throw error;
        });
      return authentication;
    },
    readiness: createReadiness({ http, store, hive, chat: () => services.chat }),
    explain: (error) => explainFailure(() => services.chat, error),
    personOf: async (pat, signal) => readOwnId(await openSession(services.chat, pat, signal)),
    start() {
      services.facilitator();
      endWatch ??= watchSignIns(() => services.chat);
      services.readiness().catch(() => {
        // The next caller is told.
      });
    },
    own: createScope(),
    async close() {
      endWatch?.();
      await foundation.close();
    },
  };
  return services;
}

/** The authenticator, with the cookie and the public keys that go with it. */
type Authentication = Awaited<ReturnType<typeof createAuthentication>>;

/** Creates it; `now` is the time in ms since 1970 by which tokens and challenges are judged. */
async function createAuthentication(options: {
  config: Config;
  store: Store;
  hive: HiveClient;
  now: () => number;
}) {
  const { config, store, hive, now } = options;
  const sessions = createLoginSessions(store);
  const issuer = await createTokenIssuer({ secret: config.sessionSecret, issuer: config.publicUrl, now });
  const authenticator: Authenticator = createAuthenticator({
    store,
    sessions,
    issuer,
    authorities: createAuthorityCache({
      load: (account) => readPostingAuthority(hive, account),
    }),
    hasLostKey: (account, key, provenAtMs) => hasLostKey(hive, account, key, provenAtMs),
    challenges: createChallenges({
      secret: config.sessionSecret,
      publicUrl: config.publicUrl,
      now,
    }),
    externalIssuer: config.externalIssuer && createExternalIssuer(config.externalIssuer),
    appIds: config.appIds,
    maxAgeSeconds: config.accessTokenMaxAgeSeconds,
    now,
  });
  const cookie: SessionCookie = createSessionCookie({
    secret: config.sessionSecret,
    lifetimeSeconds: sessions.lifetimeSeconds,
    isSecure: areCookiesSecure(config),
  });
  return { authenticator, cookie, publicKeys: issuer.publicKeys };
}
