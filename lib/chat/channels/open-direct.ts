import type { Direct } from "../../contract/answers.ts";
import { newPartnersLimit, newPartnersOverallLimit } from "../../contract/limits.ts";
import { CodedError, nullOn } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { readAccounts } from "../../hive/accounts.ts";
import { log } from "../../log.ts";
import { type Channel, openDirectChannel } from "../../mattermost/channels.ts";
import { type Preference, setPreferences } from "../../mattermost/preferences.ts";
import { readUser, type User } from "../../mattermost/users.ts";
import { withLock } from "../../store/lock.ts";
import { assertUnreservedName } from "../access/identities.ts";
import { explainRefusal } from "../access/pat-vault.ts";
import { spendStoredQuotas } from "../access/stored-quotas.ts";
import { ensureUser, userLockOf } from "../people/ensure-user.ts";
import { findUser } from "../people/find-account-user.ts";
import { rememberUsers } from "../session/caches.ts";
import type { Chat } from "../session/chat.ts";
import { readOwnId, type Session } from "../session/session.ts";

const LOCK_WAIT_MS = 10_000;

/**
 * Opens the direct channel with a chain account, creating its chat user if needed, and shows the conversation again if
 * it was hidden. A user who merely has the account's name in Mattermost receives no message meant for the account.
 * @throws CodedError `not_found` if there is no such chain account, `forbidden` if its chat user is deactivated,
 * `name_taken`, `name_reserved`
 */
export async function openDirect(session: Session, username: string): Promise<Direct> {
  const { caller } = session;
  const name = username.trim().replace(/^@/, "");
  if (!isAccountName(name)) throw unknownAccount();
  assertUnreservedName(name);
  const own = readOwnId(session);
  const [partnerId, ownId] = await Promise.all([findPartner(session, name, own), own]);
  const [channel] = await Promise.all([
    openDirectChannel(caller, [ownId, partnerId]),
    setPreferences(caller, [showingPreference(ownId, partnerId)]),
  ]);
  return { channelId: channel.id };
}

async function findPartner(session: Session, name: string, own: Promise<string>): Promise<string> {
  const { chat } = session;
  const [present, isOnChain] = await Promise.all([
    lookUp(session, name),
    // An unreachable chain does not block a conversation between two existing chat users.
    isChainAccount(chat, name).catch((error: unknown) => error as Error),
  ]);
  if (isOnChain === false) throw unknownAccount();
  if (present?.isBound !== true && isOnChain !== true) throw isOnChain;
  if (present === null && chat.config.rateLimits) await spendNewPartner(chat, await own);
  const { id, delete_at } = present?.isBound ? present : await resolvePartner(chat, name);
  rememberUsers(chat.caches, [{ id, delete_at }]);
  if (delete_at > 0) throw new CodedError("forbidden", { message: "This chat account is closed." });
  return id;
}

const EVERYBODY = "everybody";
/** When this little of the overall quota is left, operators should look. */
const FEW_LEFT = newPartnersOverallLimit.requests / 4;

/** @throws CodedError `rate_limited` */
async function spendNewPartner(chat: Chat, ownId: string): Promise<void> {
  const [left = 0] = await spendStoredQuotas(chat, [
    { limit: newPartnersOverallLimit, subject: EVERYBODY },
    { limit: newPartnersLimit, subject: ownId },
  ]);
  if (left < FEW_LEFT) log().warn({ left }, "direct messages make many new chat users today");
}

/**
 * Returns the account's bound user, or else the user of that name. It asks with the caller's PAT, which also verifies
 * it.
 */
async function lookUp({ chat, caller }: Session, name: string) {
  const boundId = await chat.identities.userOf(name);
  if (boundId !== null && chat.caches.activeUsers.get(boundId))
    return { id: boundId, delete_at: 0, isBound: true };
  const bound = boundId === null ? null : await nullOn(readUser(caller, boundId), "not_found");
  if (bound) return { ...bound, isBound: true };
  const found = await findUser(caller, name);
  return found && { ...found, isBound: false };
}

/** Returns the account's user, created if missing, or adopted if proven to be the account's. */
async function resolvePartner(chat: Chat, name: string): Promise<User> {
  const wait = AbortSignal.timeout(LOCK_WAIT_MS);
  try {
    return (await withLock(chat.store, userLockOf(name), wait, () => ensureUser(chat, name))).user;
  } catch (error) {
    if (wait.aborted && error === wait.reason) throw new CodedError("overloaded");
    throw await explainRefusal(chat.serverStatus, error);
  }
}

async function isChainAccount({ hive, caches }: Chat, name: string): Promise<boolean> {
  if (caches.accounts.get(name)) return true;
  const [isThere] = await hive.agree(async (node) => (await readAccounts(node, [name])).has(name));
  if (isThere) caches.accounts.set(name, true);
  return isThere;
}

function unknownAccount(): CodedError {
  return new CodedError("not_found", { message: "There is no account of that name." });
}

/** Returns the other user of a direct channel (the caller for a note to self), or null for other kinds of channels. */
export function partnerIdOf(channel: Pick<Channel, "type" | "name">, ownId: string): string | null {
  if (channel.type !== "D") return null;
  const ids = channel.name.split("__");
  return ids.find((id) => id !== ownId) ?? ownId;
}

/** A preference beside Mattermost's own that stores the message up to which a conversation was hidden. */
const HIDDEN_AT = "hivegate_hidden";

const SHOW = { D: "direct_channel_show", G: "group_channel_show" } as const;

/** Returns the preferences that hide a conversation until its next message. */
export function hidingPreferences(channel: Channel, ownId: string): Preference[] {
  const name = partnerIdOf(channel, ownId) ?? channel.id;
  const category = SHOW[channel.type === "G" ? "G" : "D"];
  return [
    { user_id: ownId, category, name, value: "false" },
    { user_id: ownId, category: HIDDEN_AT, name: channel.id, value: String(channel.last_post_at) },
  ];
}

/** Returns the preference that shows the direct conversation with a user again. */
export function showingPreference(ownId: string, partnerId: string): Preference {
  return { user_id: ownId, category: SHOW.D, name: partnerId, value: "true" };
}

/** Determines from the caller's preferences which conversations are hidden. */
export function createHiddenConversations(preferences: readonly Preference[], ownId: string) {
  const values = new Map(preferences.map(({ category, name, value }) => [`${category}/${name}`, value]));
  return (channel: Channel): boolean => {
    if (channel.type !== "D" && channel.type !== "G") return false;
    const name = partnerIdOf(channel, ownId) ?? channel.id;
    if (values.get(`${SHOW[channel.type]}/${name}`) !== "false") return false;
    const hiddenAt = values.get(`${HIDDEN_AT}/${channel.id}`);
    return hiddenAt === undefined || channel.last_post_at <= Number(hiddenAt);
  };
}
