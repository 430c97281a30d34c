import { randomUUID } from "node:crypto";
import { getIronSession, type SessionOptions } from "iron-session";
import { z } from "zod";
import { LOGIN_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";
import type { Store } from "../store/store.ts";

const LoginSession = z.object({
  account: z.string(),
  /** The posting key that signed the login. The login session ends when the account drops it. */
  key: z.string(),
  /** Id of the only refresh token that is valid now. */
  refresh: z.string(),
  /** Ms since 1970; earlier versions did not record it. */
  openedAtMs: z.number().default(0),
  /** The store's key of the record that opened the login session, which lasts as long. */
  recordKey: z.string().optional(),
});
export type LoginSession = z.infer<typeof LoginSession>;

export type LoginSessions = {
  lifetimeSeconds: number;
  open(login: {
    account: string;
    key: string;
    openedAtMs: number;
  }): Promise<{ sessionId: string; refreshId: string }>;
  /** Returns a new login session with its entry in the store, for a change that opens it together with others. */
  prepare(login: Omit<LoginSession, "refresh">): PreparedSession;
  /** Returns the store's key of a login session, for a change that ends it together with others. */
  keyOf(sessionId: string): string;
  read(sessionId: string): Promise<LoginSession | null>;
  /**
   * Returns the id of the next refresh token, the only valid one from now on. If `refreshId` was used before,
   * ends the login session and returns null.
   */
  rotate(sessionId: string, refreshId: string): Promise<string | null>;
  end(sessionId: string): Promise<void>;
  /** Ends all login sessions of the account opened before `beforeMs`, listed or not, except `exceptId`. */
  endOthers(account: string, beforeMs: number, exceptId: string | null): Promise<void>;
};

type PreparedSession = {
  sessionId: string;
  refreshId: string;
  entry: readonly [key: string, value: string, ttlSeconds: number];
};

const Ended = z.object({ beforeMs: z.number(), exceptId: z.string().nullable() });

/**
 * Creates the access to the open login sessions in the store. Ending one invalidates its cookie and all its
 * tokens in every process.
 */
export function createLoginSessions(store: Store): LoginSessions {
  const lifetimeSeconds = LOGIN_SECONDS;
  const keyOf = (sessionId: string) => `auth:session:${sessionId}`;
  const endedKeyOf = (account: string) => `auth:ended:${account}`;

  const readOpen = async (sessionId: string) => {
    const text = await store.get(keyOf(sessionId));
    if (text === null) return null;
    const session = LoginSession.parse(JSON.parse(text));
    const endedText = await store.get(endedKeyOf(session.account));
    const ended = endedText === null ? null : Ended.parse(JSON.parse(endedText));
    if (ended && session.openedAtMs < ended.beforeMs && sessionId !== ended.exceptId) {
      await store.delete(keyOf(sessionId));
      return null;
    }
    return { text, session };
  };

  /** Returns the entry of the record that opened a login session, as a list that is empty without one. */
  const readRecord = async ({ recordKey }: LoginSession) => {
    const text = recordKey === undefined ? null : await store.get(recordKey);
    return recordKey === undefined || text === null ? [] : [[recordKey, text] as const];
  };
  const prolonged = ([key, text]: readonly [string, string]) => [key, text, lifetimeSeconds] as const;

  const prepare: LoginSessions["prepare"] = (login) => {
    const sessionId = randomUUID();
    const refreshId = randomUUID();
    const session: LoginSession = { ...login, refresh: refreshId };
    return { sessionId, refreshId, entry: [keyOf(sessionId), JSON.stringify(session), lifetimeSeconds] };
  };

  return {
    lifetimeSeconds,
    prepare,
    keyOf,
    async open(login) {
      const { sessionId, refreshId, entry } = prepare(login);
      await store.set(...entry);
      return { sessionId, refreshId };
    },
    async read(sessionId) {
      return (await readOpen(sessionId))?.session ?? null;
    },
    async rotate(sessionId, refreshId) {
      const open = await readOpen(sessionId);
      if (open === null) return null;
      const { text, session } = open;
      const next = randomUUID();
      const renewed = JSON.stringify({ ...session, refresh: next });
      const kept = await readRecord(session);
      const isRenewed =
        session.refresh === refreshId &&
        (await store.commit({
          expect: [[keyOf(sessionId), text], ...kept],
          set: [[keyOf(sessionId), renewed, lifetimeSeconds], ...kept.map(prolonged)],
        }));
      if (isRenewed) return next;
      // Two clients hold this token. One of them stole it, and there is no way to know which.
      await store.delete(keyOf(sessionId));
      return null;
    },
    async end(sessionId) {
      await store.delete(keyOf(sessionId));
    },
    async endOthers(account, beforeMs, exceptId) {
      // A login session that is not read for this long has expired anyway.
      await store.set(endedKeyOf(account), JSON.stringify({ beforeMs, exceptId }), lifetimeSeconds);
    },
  };
}

const COOKIE = "session";

export type SessionCookie = {
  /** Returns the id of the login session in the request's cookie, or null without a valid one. */
  read(request: Request): Promise<string | null>;
  write(request: Request, response: Response, sessionId: string): Promise<void>;
  /** Reseals a cookie that the former secret sealed, so that it outlives that secret. */
  renew(request: Request, response: Response): Promise<void>;
  clear(request: Request, response: Response): Promise<void>;
};

/** Creates the access to the sealed cookie `session` of logged-in browsers. */
export function createSessionCookie(settings: {
  secret: Secret;
  lifetimeSeconds: number;
  isSecure: boolean;
}): SessionCookie {
  const optionsWith = (key: Uint8Array): SessionOptions => ({
    cookieName: COOKIE,
    password: Buffer.from(key).toString("hex"),
    ttl: settings.lifetimeSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", path: "/", secure: settings.isSecure },
  });
  // One secret at a time: a seal stores its password's number, which would change with the order of the
  // secrets.
  const [ownKey, ...formerKeys] = deriveSecrets(settings.secret, "session cookie");
  const own = optionsWith(ownKey);
  const former = formerKeys.map(optionsWith);
  const open = (request: Request, response: Response, options = own) =>
    getIronSession<{ id?: string }>(request, response, options);
  const find = async (request: Request, among: SessionOptions[]): Promise<string | null> => {
    for (const options of among) {
      const { id } = await open(request, new Response(), options);
      if (typeof id === "string") return id;
    }
    return null;
  };
  const write: SessionCookie["write"] = async (request, response, sessionId) => {
    const session = await open(request, response);
    session.id = sessionId;
    await session.save();
  };

  return {
    read: (request) => find(request, [own, ...former]),
    write,
    async renew(request, response) {
      if (former.length === 0 || (await find(request, [own])) !== null) return;
      const id = await find(request, former);
      if (id !== null) await write(request, response, id);
    },
    async clear(request, response) {
      const session = await open(request, response);
      session.destroy();
    },
  };
}
