import { createAuthenticator } from "../../../lib/auth/authenticator.ts";
import { createChallenges } from "../../../lib/auth/challenges.ts";
import { createLoginSessions } from "../../../lib/auth/login-sessions.ts";
import { createOutsideIssuer } from "../../../lib/auth/outside-issuer.ts";
import { createSessionCookie } from "../../../lib/auth/session-cookie.ts";
import { createTokenIssuer } from "../../../lib/auth/token-issuer.ts";
import { chatGateway } from "../../../lib/chat/gateway.ts";
import { createAuthorityCache } from "../../../lib/hive/authority-cache.ts";
import { readPostingAuthority } from "../../../lib/hive/posting-authority.ts";
import { processWide } from "../../../lib/process-wide.ts";
import { requireStore } from "../../../lib/store/shared-store.ts";

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
