import { processWide } from "../async/process-wide.ts";
import { createAuthenticator } from "../auth/authenticator.ts";
import { createChallenges } from "../auth/challenges.ts";
import { createOutsideIssuer } from "../auth/external-issuer.ts";
import { createLoginSessions } from "../auth/login-sessions.ts";
import { createSessionCookie } from "../auth/session-cookie.ts";
import { createTokenIssuer } from "../auth/token-issuer.ts";
import { chatGateway } from "../chat/session/gateway.ts";
import { createAuthorityCache, readPostingAuthority } from "../hive/authority-cache.ts";
import { requireStore } from "./shared-store.ts";

type Parts = Awaited<ReturnType<typeof open>>;

/** The process's one authenticator, with the cookie and the public keys that go with it. */
export function sharedAuthenticator(): Promise<Parts> {
  const opening = processWide<{ parts: Promise<Parts> | null }>("authenticator", () => ({ parts: null }));
  opening.parts ??= open().catch((error: unknown) => {
    opening.parts = null;
    throw error;
  });
  return opening.parts;
}

async function open() {
  const { config, store, hive } = chatGateway();
  await requireStore();
  const now = Date.now;
  const sessions = createLoginSessions(store);
  const issuer = await createTokenIssuer({ secret: config.sessionSecret, issuer: config.publicUrl, now });
  const authenticator = createAuthenticator({
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
    outsideIssuer: config.outsideIssuer && createOutsideIssuer(config.outsideIssuer),
    appIds: config.appIds,
    maxAgeSeconds: config.accessTokenMaxAgeSeconds,
    now,
  });
  const cookie = createSessionCookie({
    secret: config.sessionSecret,
    lifetimeSeconds: sessions.lifetimeSeconds,
    isSecure: config.sandbox === null,
  });
  return { config, authenticator, cookie, publicKeys: issuer.publicKeys };
}
