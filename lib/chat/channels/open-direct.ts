import type { Direct } from "../../contract/answers.ts";
import { newPartnersLimit, newPartnersOverallLimit } from "../../contract/limits.ts";
import { CodedError, nullOn } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { readAccounts } from "../../hive/accounts.ts";
import { log } from "../../log.ts";
import { openDirectChannel } from "../../mattermost/channels.ts";
import { setPreferences } from "../../mattermost/preferences.ts";
import { readUser, type User } from "../../mattermost/users.ts";
import { withLock } from "../../store/lock.ts";
import { assertUnreservedName } from "../access/identities.ts";
import { explainRefusal } from "../access/pat-vault.ts";
import { spendStoredQuotas } from "../access/stored-quotas.ts";
import { rememberUsers } from "../caller/caches.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import type { Chat } from "../caller/chat.ts";
import { ensureUser, userLockOf } from "../people/ensure-user.ts";
import { findUser } from "../people/find-account-user.ts";
import { showingPreference } from "./hidden-conversations.ts";

const LOCK_WAIT_MS = 10_000;

/**
 * Opens the direct channel with a chain account, creating its chat user if needed, and shows the conversation again if
 * it was hidden. A user who merely has the account's name in Mattermost receives no message meant for the account.
 * @throws CodedError `not_found` if there is no such chain account, `forbidden` if its chat user is deactivated,
 * `name_taken`, `name_reserved`
 */
export async function openDirect(context: CallerContext, username: string): Promise<Direct> {
  const { caller } = context;
  const name = username.trim().replace(/^@/, "");
  if (!isAccountName(name)) throw unknownAccount();
  assertUnreservedName(name);
  const own = readOwnId(context);
  const [partnerId, ownId] = await Promise.all([findPartner(context, name, own), own]);
  const [channel] = await Promise.all([
    openDirectChannel(caller, [ownId, partnerId]),
    setPreferences(caller, [showingPreference(ownId, partnerId)]),
  ]);
  return { channelId: channel.id };
}

async function findPartner(context: CallerContext, name: string, own: Promise<string>): Promise<string> {
  const { chat } = context;
  const [present, isOnChain] = await Promise.all([
    lookUp(context, name),
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
/** The remainder of the overall quota at which the log asks operators to look. */
const FEW_LEFT = newPartnersOverallLimit.requests / 4;

/** @throws CodedError `rate_limited` */
async function spendNewPartner(chat: Chat, ownId: string): Promise<void> {
  const [left = 0] = await spendStoredQuotas(chat, [
    { limit: newPartnersOverallLimit, subject: EVERYBODY },
    { limit: newPartnersLimit, subject: ownId },
  ]);
  if (left < FEW_LEFT)
    log().warn(
      { left },
      "direct messages have created many chat users today: the daily quota is nearly used up",
    );
}

/**
 * Returns the account's bound user, or else the user of that name. Uses the caller's PAT, which verifies the
 * PAT too.
 */
async function lookUp({ chat, caller }: CallerContext, name: string) {
  const boundId = await chat.identities.userOf(name);
  if (boundId !== null && chat.caches.activeUsers.get(boundId))
    return { id: boundId, delete_at: 0, isBound: true };
  const bound = boundId === null ? null : await nullOn(readUser(caller, boundId), "not_found");
  if (bound) return { ...bound, isBound: true };
  const found = await findUser(caller, name);
  return found && { ...found, isBound: false };
}

/**
 * Returns the account's user, which is created if missing, or taken over if it is proven to be the account's.
 */
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
  return new CodedError("not_found", { message: "There is no account with that name." });
}
