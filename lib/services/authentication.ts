import { type Authenticator, createAuthenticator } from "../auth/authenticator.ts";
import { createChallenges } from "../auth/challenges.ts";
import { createExternalIssuer } from "../auth/external-issuer.ts";
import { createLoginSessions } from "../auth/login-sessions.ts";
import { createSessionCookie, type SessionCookie } from "../auth/session-cookie.ts";
import { createTokenIssuer } from "../auth/token-issuer.ts";
import type { Config } from "../config.ts";
import { createAuthorityCache, readPostingAuthority } from "../hive/authority-cache.ts";
import type { HiveClient } from "../hive/client.ts";
import { areCookiesSecure } from "../http/plain-http.ts";
import type { Store } from "../store/store.ts";

/** The authenticator, with the cookie and the public keys that go with it. */
export type Authentication = Awaited<ReturnType<typeof createAuthentication>>;

/** Creates it; `now` is the time in ms since 1970 by which tokens and challenges are judged. */
export async function createAuthentication(options: {
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
    challenges: createChallenges({
      secret: config.sessionSecret,
      app: config.appIds[0] ?? "hivegate",
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
