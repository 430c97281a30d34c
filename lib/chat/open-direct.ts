import { CodedError } from "../errors.ts";
import { isAccountName } from "../hive/account-name.ts";
import { readAccounts } from "../hive/accounts.ts";
import { spendQuota } from "../http/rate-limit.ts";
import { openDirectChannel } from "../mattermost/channels.ts";
import { setPreferences } from "../mattermost/preferences.ts";
import type { User } from "../mattermost/user.ts";
import { showingPreference } from "./conversations.ts";
import { ensureUser, findUser } from "./ensure-user.ts";
import type { Gateway } from "./gateway.ts";
import { readOwnId, type Session } from "./session.ts";

/** Every new chat user takes one of the places that the backend has. */
const newPartners = { name: "new-partners", requests: 30, windowSeconds: 86_400 };

/**
 * Opens the direct channel with a chain account, making its chat user where there is none, and brings it back where it
 * was put away.
 * @throws CodedError `not_found` for a name that is no chain account, `forbidden` when its chat user is deactivated
 */
export async function openDirect(session: Session, username: string): Promise<{ channelId: string }> {
  const { caller } = session;
  const name = username.trim().replace(/^@/, "");
  if (!isAccountName(name)) throw unknownAccount();
  const [partnerId, ownId] = await Promise.all([findPartner(session, name), readOwnId(session)]);
  const [channel] = await Promise.all([
    openDirectChannel(caller, [ownId, partnerId]),
    setPreferences(caller, [showingPreference(ownId, partnerId)]),
  ]);
  return { channelId: channel.id };
}

async function findPartner(session: Session, name: string): Promise<string> {
  const { gateway, caller, patHash } = session;
  const known = gateway.known.partners.get(name);
  const [present, isOnChain] = await Promise.all([
    known === undefined ? findUser(caller, name) : { id: known, delete_at: 0 },
    // A chain that is away does not part people who are both in the chat already.
    isChainAccount(gateway, name).catch((error: unknown) => error as Error),
  ]);
  if (isOnChain === false) throw unknownAccount();
  if (present === null && isOnChain !== true) throw isOnChain;
  const { id, delete_at } = present ?? (await makePartner(gateway, name, patHash));
  if (delete_at > 0) throw new CodedError("forbidden", { message: "This chat account is closed." });
  gateway.known.partners.set(name, id);
  return id;
}

async function makePartner(gateway: Gateway, name: string, patHash: string): Promise<User> {
  if (gateway.config.rateLimits) spendQuota(newPartners, patHash, new Headers());
  return (await ensureUser(gateway.admin, gateway.teamId, name)).user;
}

async function isChainAccount({ hive, known }: Gateway, name: string): Promise<boolean> {
  if (known.accounts.get(name)) return true;
  const isThere = (await readAccounts(hive, [name])).has(name);
  if (isThere) known.accounts.set(name, true);
  return isThere;
}

function unknownAccount(): CodedError {
  return new CodedError("not_found", { message: "There is no account of that name." });
}
