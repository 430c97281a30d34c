import { BytesAnswer } from "../../async/bytes-answer.ts";
import { deriveOnce } from "../../async/derive-once.ts";
import { writtenOnce } from "../../async/json-text.ts";
import { holdBeginning, limitPushed, type PushedBody } from "../../async/pushed-body.ts";
import { createTurns } from "../../async/turns.ts";
import type { Config } from "../../config.ts";
import type { Me, User as PublicUser, Users } from "../../contract/answers.ts";
import { MOST_USERS_FOUND, SHORTEST_TERM } from "../../contract/limits.ts";
import { CodedError } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { PICTURE_CONNECTIONS, type StreamedAnswer } from "../../mattermost/mattermost.ts";
import { findTeamUsers, isStaff, readOwnUser, streamUserImage, type User } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { rememberUsers } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import type { Chat } from "../caller/chat.ts";

/** Reduces a user to its public fields. */
export function projectUser(user: User): PublicUser {
  const { id, username, first_name, last_name, nickname, last_picture_update, is_bot } = user;
  return {
    id,
    username,
    first_name,
    last_name,
    nickname,
    last_picture_update,
    ...(is_bot && { is_bot }),
  };
}

/** Returns projected users as a map by id. */
export function projectUsers(users: readonly User[]): Record<string, PublicUser> {
  return Object.fromEntries(users.map((user) => [user.id, projectUser(user)]));
}

/** Returns the owner of the PAT, and the optional features of this gateway. */
export async function readMe({ caller, chat, patHash }: CallerContext): Promise<Me> {
  const user = await readOwnUser(caller);
  chat.caches.userIds.set(patHash, user.id);
  return introducer(chat.config)(user);
}

// A user who is the same as at the last reading is introduced by the same text.
const introducer = deriveOnce(({ translator, outside, imageHost }: Config) =>
  deriveOnce(
    (user: User): Me =>
      writtenOnce({
        user: projectUser(user),
        ...(translator && { translates: true }),
        ...(imageHost && { hostsPictures: true }),
        ...(outside.isFetched && { showsOutside: true }),
      }),
  ),
);

/** More than are shown, because some users are omitted. */
const MAX_ASKED = 100;

/**
 * Finds users of the team by username or full name, first the one with exactly this username. A user is never shown under an account's name without
 * proof that it belongs to that account, because an impostor would look genuine.
 */
export async function searchUsers({ caller, chat }: CallerContext, text: string): Promise<Users> {
  const term = text.trim().replace(/^@/, "");
  if ([...term].length < SHORTEST_TERM) {
    // The term is too short to search for, but the PAT still has to be checked.
    await readOwnUser(caller);
    return { users: [] };
  }
  const found = await findTeamUsers(caller, chat.teamId, term, MAX_ASKED);
  if (found.length === 0) await believeEmpty(chat);
  rememberUsers(chat.caches, found);
  const isShown = await Promise.all(
    found.map(async (user) => user.delete_at === 0 && (await bearsOwnName(chat, user))),
  );
  return {
    users: found
      .filter((_, index) => isShown[index])
      .sort((one, other) => Number(other.username === term) - Number(one.username === term))
      .slice(0, MOST_USERS_FOUND)
      .map(projectUser),
  };
}

/**
 * Returns whether a user rightly bears its name: it belongs to the account of that name, or cannot be
 * mistaken for an account, like bots, staff and users whose name no account can have.
 */
async function bearsOwnName({ identities, vault }: Chat, user: User): Promise<boolean> {
  const { id, username } = user;
  const owner = await identities.accountOf(id);
  if (owner !== null) return owner === username;
  if (isStaff(user) || !isAccountName(username)) return true;
  // Users of an earlier version are bound at their next bootstrap.
  const { signIns } = await vault.read(username);
  return (await identities.userOf(username)) === null && signIns.some(({ userId }) => userId === id);
}

const MAX_BYTES = 8 * 1024 * 1024;
/**
 * Bytes to hold before answering. Most pictures are smaller, so if reading one fails, the answer can still
 * become an error.
 */
const HELD_BYTES = 256 * 1024;

/** A picture can be an SVG, which must not run scripts when it is opened on its own. */
const SECURITY = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
};

/** Maximum readers waiting for a picture; enough for a few pages of members. */
const MOST_WAITING = 500;

/**
 * Returns a user's picture, or 304 if the caller's `if-none-match` matches. Uses a turn of `reader`.
 * @throws CodedError `not_found`, `backend_timeout` for a picture that arrives too slowly, `overloaded`
 */
export async function readUserImage(
  { mattermost, config, own }: Chat,
  userId: string,
  ifNoneMatch: string | null,
  reader: string,
  signal: AbortSignal,
): Promise<BytesAnswer> {
  const turns = own("user-pictures", () =>
    createTurns({ places: PICTURE_CONNECTIONS, mostWaiting: MOST_WAITING }),
  );
  const free = await turns.take({ person: reader }, signal);
  const admin = mattermost.asAdmin(config.chat.adminToken.reveal(), signal);
  const wanted = revisionsIn(ifNoneMatch);
  const answer = await streamUserImage(admin, userId, wanted[0]).catch((error: unknown) => {
    free();
    throw error;
  });
  void answer.ended.then(free);
  const revision =
    revisionsIn(answer.header("etag") ?? null)[0] ?? (answer.status === 304 ? wanted[0] : undefined);
  const headers = { ...SECURITY, ...(revision !== undefined && { etag: `"${revision}"` }) };
  if (answer.status === 304 || (revision !== undefined && wanted.includes(revision))) {
    answer.body.cancel();
    return new BytesAnswer(null, { status: 304, headers });
  }
  const { type, length } = pictureHeadOf(answer);
  const body = await holdStart(answer, signal);
  return new BytesAnswer(body, {
    headers: {
      ...headers,
      "content-type": type,
      ...(Number.isInteger(length) && { "content-length": String(length) }),
    },
  });
}

/** Returns the tags of `ETag` and `If-None-Match`; Mattermost's own have no quotes. */
function revisionsIn(header: string | null): string[] {
  return [...(header ?? "").matchAll(/[\w.+-]{1,128}(?=["\s,]|$)/g)].map(([tag]) => tag);
}

/** Returns the type and the length of a picture, if it is one. @throws CodedError `backend_unreachable` */
function pictureHeadOf({ header, body }: StreamedAnswer): { type: string; length: number } {
  const type = header("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const length = Number(header("content-length") ?? Number.NaN);
  if (/^image\/[\w.+-]+$/.test(type) && !(length > MAX_BYTES)) return { type, length };
  body.cancel();
  throw new CodedError("backend_unreachable", { cause: new Error("no picture") });
}

/** Returns the picture, or its body once the beginning has arrived. */
async function holdStart(
  { body, isLate }: StreamedAnswer,
  signal: AbortSignal,
): Promise<Uint8Array | PushedBody> {
  try {
    return await holdBeginning(limitPushed(body, MAX_BYTES), HELD_BYTES);
  } catch (cause) {
    signal.throwIfAborted();
    throw new CodedError(isLate() ? "backend_timeout" : "backend_unreachable", { cause });
  }
}
