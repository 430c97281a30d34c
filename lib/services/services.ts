import { createScope, type Scope } from "../async/cache.ts";
import { createCodeVerifier } from "../auth/account-codes.ts";
import { type AskerCookie, createAskerCookie } from "../auth/asker-cookie.ts";
import { type Authenticator, createAuthenticator } from "../auth/authenticator.ts";
import { createChallenges } from "../auth/challenges.ts";
import { createLoginSessions, createSessionCookie, type SessionCookie } from "../auth/login-sessions.ts";
import { createExternalIssuer, createTokenIssuer } from "../auth/token-issuer.ts";
import { createWalletChallenges } from "../auth/wallet-challenges.ts";
import { createWalletLogins } from "../auth/wallet-logins.ts";
import { explainFailure } from "../chat/access/explain-failure.ts";
import { createLogouts, createOpenSockets, type Logouts, type OpenSockets } from "../chat/access/logouts.ts";
import { createCallerContext, readOwnId } from "../chat/caller/caller-context.ts";
import { type Chat, createChat } from "../chat/caller/chat.ts";
import { watchSignIns } from "../chat/caller/watch-sign-ins.ts";
import type { Config } from "../config.ts";
import type { Readiness } from "../contract/answers.ts";
import { hasLostKey } from "../hive/access-token.ts";
import { readPostingAuthority } from "../hive/accounts.ts";
import { createAuthorityCache } from "../hive/authority-cache.ts";
import type { HiveClient } from "../hive/client.ts";
import { areCookiesSecure } from "../http/plain-http.ts";
import type { Store } from "../store/store.ts";
import type { CatalogueOptions } from "../x402/discovery/options.ts";
import { createFoundation, type Foundation } from "./foundation.ts";
import { createReadiness } from "./readiness.ts";

type AskOwn = NonNullable<CatalogueOptions["askOwn"]>;

/** All parts of one gateway. Several gateways can run in one process, sharing only its log and metrics. */
export type Services = Foundation & {
  config: Config;
  chat: Chat;
  sockets: OpenSockets;
  logouts: Logouts;
  /**
   * Returns the authentication, created by the first call. A failure is not cached: the next call tries again.
   * @throws CodedError `degraded`
   */
  authentication(): Promise<Authentication>;
  readiness(): Promise<Readiness>;
  /** Returns Mattermost's own failure if it caused the refusal. Never rejects. */
  explain(error: unknown): Promise<unknown>;
  /**
   * Returns the PAT's owner by Mattermost user id, asking Mattermost unless bootstrap issued the PAT. @throws
   * CodedError
   */
  personOf(pat: string, signal: AbortSignal): Promise<string>;
  /** Starts background work: it finishes open payments, watches sign-ins, and logs the warnings of readiness. */
  start(): void;
  own: Scope;
  /** Sets the function that answers the facilitator for resources that this server sells itself. */
  answerForOwn(ask: AskOwn): void;
};

/** Creates a gateway's services. Anything that needs the network or a disk begins on first use. */
export function createServices(config: Config): Services {
  /**
   * Lead over the chain's clock, which is subtracted so that a wrong machine clock does not revive an expired
   * token.
   */
  let clockAheadMs = 0;
  let askOwn: AskOwn = () => null;
  const now = () => Date.now() - clockAheadMs;
  const foundation = createFoundation({
    config,
    network: config.x402.network,
    ...(config.x402.account !== null && config.x402.sweeps && { sweeps: config.x402.account }),
    warns: config.sandbox === null,
    ...(config.sandbox?.chain && { publicNodes: [config.sandbox.chain.url] }),
    onClock(aheadSeconds) {
      clockAheadMs = aheadSeconds * 1000;
    },
    askOwn: (...asked) => askOwn(...asked),
  });
  const { http, store, requireStore, hive } = foundation;
  const sockets = createOpenSockets();
  const logouts = createLogouts(store);
  // If the store is unreachable, the other processes learn of the loss on their next request with that PAT.
  http.tokens.onLoss((key) => void logouts.announce(key).catch(() => undefined));
  let chat: Chat | null = null;
  let authentication: Promise<Authentication> | null = null;
  let endWatch: (() => void) | null = null;

  const services: Services = {
    ...foundation,
    config,
    get chat() {
      if (chat) return chat;
      const { end: endLogin, endOthers: endOtherLogins } = createLoginSessions(store);
      chat = createChat({
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
      authentication ??= Promise.resolve(requireStore())
        .then(() => createAuthentication({ config, store, hive, now }))
        .catch((error: unknown) => {
          authentication = null;
          throw error;
        });
      return authentication;
    },
    readiness: createReadiness({ http, store, hive, chat: () => services.chat }),
    explain: (error) => explainFailure(() => services.chat, error),
    personOf: async (pat, signal) => readOwnId(await createCallerContext(services.chat, pat, signal)),
    start() {
      services.facilitator();
      endWatch ??= watchSignIns(() => services.chat);
      services.readiness().catch(() => {
        // Ignored: the next caller gets the failure.
      });
    },
    own: createScope(),
    answerForOwn(ask) {
      askOwn = ask;
    },
    async close() {
      endWatch?.();
      await foundation.close();
    },
  };
  return services;
}

/** The authenticator, the sign-in by a wallet elsewhere, the cookies and the public keys. */
type Authentication = Awaited<ReturnType<typeof createAuthentication>>;

/**
 * Creates the authentication. `now` returns the time in ms since 1970 against which tokens and challenges are
 * checked.
 */
async function createAuthentication(options: {
  config: Config;
  store: Store;
  hive: HiveClient;
  now: () => number;
}) {
  const { config, store, hive, now } = options;
  const sessions = createLoginSessions(store);
  const issuer = await createTokenIssuer({ secret: config.sessionSecret, issuer: config.publicUrl, now });
  const authorities = createAuthorityCache({ load: (account) => readPostingAuthority(hive, account) });
  const challengeOptions = { secret: config.sessionSecret, publicUrl: config.publicUrl, now };
  const authenticator: Authenticator = createAuthenticator({
    store,
    sessions,
    issuer,
    authorities,
    hasLostKey: (account, key, provenAtMs) => hasLostKey(hive, account, key, provenAtMs),
    challenges: createChallenges(challengeOptions),
    externalIssuer: config.externalIssuer && createExternalIssuer(config.externalIssuer),
    appIds: config.appIds,
    maxAgeSeconds: config.accessTokenMaxAgeSeconds,
    now,
  });
  const walletLogins = createWalletLogins({
    ...{ store, sessions, issuer, authorities, now },
    challenges: createWalletChallenges(challengeOptions),
    verifyCode: createCodeVerifier({
      ...{ authorities, now },
      hivesignerApp: config.hivesignerApp,
      publicUrl: config.publicUrl,
    }),
  });
  const isSecure = areCookiesSecure(config);
  const cookie: SessionCookie = createSessionCookie({
    secret: config.sessionSecret,
    lifetimeSeconds: sessions.lifetimeSeconds,
    isSecure,
  });
  const askerCookie: AskerCookie = createAskerCookie(isSecure);
  return { authenticator, walletLogins, cookie, askerCookie, publicKeys: issuer.publicKeys };
}
