import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Mattermost } from "../context.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  type AccessTokenRow,
  countActiveUsers,
  countUsers,
  deleteSession,
  findAccessTokenByValue,
  findSessionByToken,
  findUser,
  findUserByEmail,
  findUserByUsername,
  insertAccessToken,
  insertSession,
  insertUser,
  type SessionRow,
  type UserRow,
} from "../model/users.ts";

const ACTIVITY_STEP_MS = 5 * 60 * 1000;
const ACCESS_TOKEN_SESSION_MS = 100 * 365 * 24 * 60 * 60 * 1000;

function isOfAccessToken(session: Pick<SessionRow, "props">): boolean {
  return (JSON.parse(session.props) as { type?: string }).type === "UserAccessToken";
}

/**
 * Returns whether a stored session is valid: not expired, and not of a personal access token while those are
 * disabled.
 */
export function isSessionValid(
  mattermost: Mattermost,
  session: Pick<SessionRow, "expires_at" | "props">,
): boolean {
  if (session.expires_at > 0 && session.expires_at <= mattermost.clock.now()) return false;
  return mattermost.settings.enableUserAccessTokens || !isOfAccessToken(session);
}

function openAccessTokenSession(mattermost: Mattermost, token: string): SessionRow | null {
  if (!mattermost.settings.enableUserAccessTokens) return null;
  const accessToken = findAccessTokenByValue(mattermost.db, token);
  if (!accessToken?.is_active) return null;
  const user = findUser(mattermost.db, accessToken.user_id);
  if (!user || user.delete_at > 0) return null;
  const now = mattermost.clock.now();
  return insertSession(mattermost.db, {
    token,
    user_id: user.id,
    create_at: now,
    expires_at: now + ACCESS_TOKEN_SESSION_MS,
    device_id: "",
    roles: user.roles,
    props: JSON.stringify({ type: "UserAccessToken", user_access_token_id: accessToken.id }),
  });
}

/**
 * Returns the session of a session token or personal access token, or null for any other text. A personal
 * access token gets its session on first use.
 */
export function authenticate(mattermost: Mattermost, token: string): SessionRow | null {
  const session = findSessionByToken(mattermost.db, token);
  if (!session) return openAccessTokenSession(mattermost, token);
  if (!isSessionValid(mattermost, session)) {
    if (!isOfAccessToken(session)) deleteSession(mattermost.db, session.id);
    return null;
  }
  const now = mattermost.clock.now();
  if (now - session.last_activity_at > ACTIVITY_STEP_MS) {
    mattermost.db.update("sessions", { id: session.id }, { last_activity_at: now });
  }
  return session;
}

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);
const KEY_BYTES = 32;
// The cost is deliberately low, because tests create hundreds of these passwords.
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

/** Creates an active personal access token. */
export function createAccessToken(
  mattermost: Mattermost,
  userId: string,
  description: string,
): AccessTokenRow {
  const row: AccessTokenRow = {
    id: makeId(),
    token: makeId(),
    user_id: userId,
    description,
    is_active: 1,
    create_at: mattermost.clock.now(),
  };
  insertAccessToken(mattermost.db, row);
  return row;
}

export type NewUser = {
  username: string;
  email: string;
  passwordHash: string;
  nickname?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
  position?: string | undefined;
  locale?: string | undefined;
  props?: Record<string, string> | undefined;
  notify_props?: Record<string, string> | undefined;
  timezone?: Record<string, string> | undefined;
};

const defaultTimezone = { automaticTimezone: "", manualTimezone: "", useAutomaticTimezone: "true" };

function defaultNotifyProps(mattermost: Mattermost): Record<string, string> {
  return {
    channel: "true",
    comments: "never",
    desktop: "mention",
    desktop_sound: "true",
    desktop_threads: "all",
    email: "true",
    email_threads: "all",
    first_name: "false",
    mention_keys: "",
    push: "mention",
    push_status: mattermost.isV11 ? "online" : "away",
    push_threads: "all",
  };
}

/**
 * Creates a user and reports it to everyone. The first user of an empty server is a system admin. @throws
 * ApiError 400.
 */
export function createUser(mattermost: Mattermost, values: NewUser): UserRow {
  const now = mattermost.clock.now();
  const user: UserRow = {
    id: makeId(),
    create_at: now,
    update_at: now,
    delete_at: 0,
    username: values.username.trim().toLowerCase(),
    email: values.email.trim().toLowerCase(),
    password_hash: values.passwordHash,
    nickname: values.nickname ?? "",
    first_name: values.first_name ?? "",
    last_name: values.last_name ?? "",
    position: values.position ?? "",
    roles: countUsers(mattermost.db) === 0 ? "system_admin system_user" : "system_user",
    props: JSON.stringify(values.props ?? {}),
    notify_props: JSON.stringify({ ...defaultNotifyProps(mattermost), ...values.notify_props }),
    locale: values.locale || "en",
    timezone: JSON.stringify({ ...defaultTimezone, ...values.timezone }),
    last_password_update: now,
    last_picture_update: 0,
  };
  if (countActiveUsers(mattermost.db) >= mattermost.settings.maxUsers) {
    refuse("api.user.create_user.user_limits.exceeded");
  }
  checkUser(mattermost, user);
  insertUser(mattermost.db, user);
  mattermost.publish({ event: "new_user", data: { user_id: user.id }, broadcast: {} });
  return user;
}

const reserved = new Set(["all", "channel", "matterbot", "system"]);

/** Returns whether the name is reserved, so no one can have it. */
export const isReservedName = (username: string) => reserved.has(username);

const length = (text: string) => [...text].length;

/** @throws ApiError if the user's fields break a rule, or if the name or e-mail is taken. */
export function checkUser(
  mattermost: Mattermost,
  user: Pick<UserRow, "id" | "username" | "email" | "nickname" | "first_name" | "last_name" | "position">,
): void {
  if (!/^[a-z0-9._-]{1,64}$/.test(user.username) || reserved.has(user.username)) {
    refuse("model.user.is_valid.username.app_error");
  }
  if (user.email.length > 128 || !/^[^\s@<>]+@[^\s@<>]+$/.test(user.email)) {
    refuse("model.user.is_valid.email.app_error");
  }
  if (length(user.nickname) > 64) refuse("model.user.is_valid.nickname.app_error");
  if (length(user.first_name) > 64) refuse("model.user.is_valid.first_name.app_error");
  if (length(user.last_name) > 64) refuse("model.user.is_valid.last_name.app_error");
  if (length(user.position) > 128) refuse("model.user.is_valid.position.app_error");
  const byName = findUserByUsername(mattermost.db, user.username);
  if (byName && byName.id !== user.id) refuse("app.user.save.username_exists.app_error");
  const byEmail = findUserByEmail(mattermost.db, user.email);
  if (byEmail && byEmail.id !== user.id) refuse("app.user.save.email_exists.app_error");
}

/**
 * @throws ApiError for a password that a server with default settings rejects. Mattermost 7 requires all
 * character classes.
 */
export function checkPassword({ isV11 }: Mattermost, password: string): void {
  if (isV11 && length(password) < 8) refuse("model.user.is_valid.pwd_min_length.app_error");
  if (isV11 && Buffer.byteLength(password) > 72) refuse("model.user.is_valid.password_limit.app_error");
  if (!isV11 && !/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[ -/:-@[-`|~]).{10,64}$/.test(password))
    refuse("api.user.check_user_password.invalid.app_error");
}
