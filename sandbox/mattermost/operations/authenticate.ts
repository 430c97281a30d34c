import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Backend } from "../backend.ts";
import { makeId } from "../id.ts";
import {
  type AccessTokenRow,
  deleteSession,
  findAccessTokenByValue,
  findSessionByToken,
  insertAccessToken,
  insertSession,
  type SessionRow,
} from "../model/sessions.ts";
import { findUser } from "../model/users.ts";

const ACTIVITY_STEP_MS = 5 * 60 * 1000;
const ACCESS_TOKEN_SESSION_MS = 100 * 365 * 24 * 60 * 60 * 1000;

function isOfAccessToken(session: Pick<SessionRow, "props">): boolean {
  return (JSON.parse(session.props) as { type?: string }).type === "UserAccessToken";
}

/** Whether a stored session is still good: not expired, and not of a personal access token while those are off. */
export function isSessionValid(backend: Backend, session: Pick<SessionRow, "expires_at" | "props">): boolean {
  if (session.expires_at > 0 && session.expires_at <= backend.clock.now()) return false;
  return backend.settings.enableUserAccessTokens || !isOfAccessToken(session);
}

function openAccessTokenSession(backend: Backend, token: string): SessionRow | null {
  if (!backend.settings.enableUserAccessTokens) return null;
  const accessToken = findAccessTokenByValue(backend.db, token);
  if (!accessToken?.is_active) return null;
  const user = findUser(backend.db, accessToken.user_id);
  if (!user || user.delete_at > 0) return null;
  const now = backend.clock.now();
  return insertSession(backend.db, {
    token,
    user_id: user.id,
    create_at: now,
    expires_at: now + ACCESS_TOKEN_SESSION_MS,
    device_id: "",
    roles: user.roles,
    props: JSON.stringify({ type: "UserAccessToken", user_access_token_id: accessToken.id }),
  });
}

/** The session of a session token or a personal access token (made on the latter's first use), null for any other text. */
export function authenticate(backend: Backend, token: string): SessionRow | null {
  const session = findSessionByToken(backend.db, token);
  if (!session) return openAccessTokenSession(backend, token);
  if (!isSessionValid(backend, session)) {
    if (!isOfAccessToken(session)) deleteSession(backend.db, session.id);
    return null;
  }
  const now = backend.clock.now();
  if (now - session.last_activity_at > ACTIVITY_STEP_MS) {
    backend.db.update("sessions", { id: session.id }, { last_activity_at: now });
  }
  return session;
}

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);
const KEY_BYTES = 32;
// Cheap on purpose: these are passwords of a play server, which a test makes by the hundred.
const COST = { N: 1024 };

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, KEY_BYTES, COST);
  return `${salt.toString("hex")}:${key.toString("hex")}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [salt = "", key = ""] = hash.split(":");
  const expected = Buffer.from(key, "hex");
  if (expected.length !== KEY_BYTES) return false;
  return timingSafeEqual(await derive(password, Buffer.from(salt, "hex"), KEY_BYTES, COST), expected);
}

/** A new personal access token, switched on. */
export function createAccessToken(backend: Backend, userId: string, description: string): AccessTokenRow {
  const row: AccessTokenRow = {
    id: makeId(),
    token: makeId(),
    user_id: userId,
    description,
    is_active: 1,
    create_at: backend.clock.now(),
  };
  insertAccessToken(backend.db, row);
  return row;
}
