import { randomUUID } from "node:crypto";
import { z } from "zod";
import { LOGIN_SECONDS } from "../contract/limits.ts";
import type { Store } from "../store/store.ts";

const Session = z.object({
  account: z.string(),
  /** The posting key that signed the login: when the account drops it, the session is over. */
  key: z.string(),
  /** Id of the one refresh token that is good now. */
  refresh: z.string(),
});
export type LoginSession = z.infer<typeof Session>;

export type LoginSessions = {
  lifetimeSeconds: number;
  open(login: { account: string; key: string }): Promise<{ sessionId: string; refreshId: string }>;
  read(sessionId: string): Promise<LoginSession | null>;
  /** Makes the next refresh token the good one; null, and the end of the session, when `refreshId` was used before. */
  rotate(sessionId: string, refreshId: string): Promise<string | null>;
  end(sessionId: string): Promise<void>;
};

/** The logins that are not over, in the store: ending one ends its cookie and all its tokens, in every process. */
export function createLoginSessions(store: Store): LoginSessions {
  const lifetimeSeconds = LOGIN_SECONDS;
  const keyOf = (sessionId: string) => `auth:session:${sessionId}`;

  return {
    lifetimeSeconds,
    async open({ account, key }) {
      const sessionId = randomUUID();
      const refreshId = randomUUID();
      const session: LoginSession = { account, key, refresh: refreshId };
      await store.set(keyOf(sessionId), JSON.stringify(session), lifetimeSeconds);
      return { sessionId, refreshId };
    },
    async read(sessionId) {
      const text = await store.get(keyOf(sessionId));
      return text === null ? null : Session.parse(JSON.parse(text));
    },
    async rotate(sessionId, refreshId) {
      const text = await store.get(keyOf(sessionId));
      if (text === null) return null;
      const session = Session.parse(JSON.parse(text));
      const next = randomUUID();
      const renewed = JSON.stringify({ ...session, refresh: next });
      const isGood = session.refresh === refreshId;
      if (isGood && (await store.replace(keyOf(sessionId), text, renewed, lifetimeSeconds))) return next;
      // Two holders of one token: one of them is a thief, and nobody can tell which.
      await store.delete(keyOf(sessionId));
      return null;
    },
    async end(sessionId) {
      await store.delete(keyOf(sessionId));
    },
  };
}
