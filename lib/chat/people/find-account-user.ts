import { randomBytes } from "node:crypto";
import { CodedError, nullOn } from "../../errors.ts";
import { isRefusal, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostSession } from "../../mattermost/mattermost.ts";
import {
  changeUser,
  endAllSessions,
  isStaff,
  listAccessTokens,
  readUser,
  readUserByEmail,
  readUserByName,
  setPassword,
  type User,
} from "../../mattermost/users.ts";
import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";
import { assertUnreservedName, type UserAddresses, writeAudit } from "../access/identities.ts";
import { listGatewayPats, revokePat } from "../access/pat-vault.ts";
import type { Gateway } from "../session/gateway.ts";

/** What it takes to tell whose a chat user is. */
export type IdentityParts = Pick<Gateway, "admin" | "store" | "identities" | "addresses" | "vault">;

/**
 * The chat user that belongs to the account, found by its id and called by its name again where it was renamed; null
 * while there is none and the name is free. A user who merely bears the name is never given.
 * @throws CodedError `name_taken`, `name_reserved`, `forbidden` (one of Mattermost's staff)
 */
export async function findAccountUser(parts: IdentityParts, account: string): Promise<User | null> {
  const { admin, identities } = parts;
  assertUnreservedName(account);
  const boundId = await identities.userOf(account);
  const bound = boundId === null ? null : await nullOn(readUser(admin, boundId), "not_found");
  if (bound) return restoreName(admin, account, assertNotStaff(bound));
  const former = boundId === null ? await findFormer(parts, account) : null;
  const found = former ?? (await findUser(admin, account));
  return found && claimUser(parts, account, found);
}

/** The chat user of that name, null where there is none. @throws CodedError `name_reserved` */
export async function findUser(caller: MattermostSession, username: string): Promise<User | null> {
  try {
    return await nullOn(readUserByName(caller, username), "not_found");
  } catch (error) {
    // Only a name that no user may have is refused as such.
    const isReserved = error instanceof CodedError && error.cause instanceof MattermostRefusal;
    if (isReserved && error.code === "invalid_request")
      throw new CodedError("name_reserved", { cause: error.cause });
    throw error;
  }
}

/** The user with the address that only the gateway gives to the account's, null where there is none. */
export async function findOwnUser(
  { admin, addresses }: Pick<IdentityParts, "admin" | "addresses">,
  account: string,
): Promise<User | null> {
  for (const email of addresses.allOf(account)) {
    const user = await nullOn(readUserByEmail(admin, email), "not_found");
    if (user) return user;
  }
  return null;
}

/**
 * Gives a found user to the account when it is proven to be the account's: bound to it, made by this gateway for it
 * (which the tag in its address shows), or made and given out by an earlier version, which kept no bindings.
 * @throws CodedError `name_taken`, `name_reserved`, `forbidden`
 */
export async function claimUser(parts: IdentityParts, account: string, user: User): Promise<User> {
  const { admin, identities, addresses } = parts;
  if (user.is_bot) throw new CodedError("name_reserved");
  assertNotStaff(user);
  const [boundId, owner] = await Promise.all([identities.userOf(account), identities.accountOf(user.id)]);
  if (owner !== null && owner !== account) {
    await revokeMistaken(parts, account, user.id);
    throw nameTaken(account, user.id, owner);
  }
  const isOwn = owner === account;
  // An account that had a user knows its id: the user with the address now got it after that one was deleted.
  if (!isOwn && boundId !== null) throw nameTaken(account, user.id);
  const kind = addresses.kindOf(account, user.email);
  if (!isOwn && kind !== "own") {
    if (kind !== "pending" && !(await wasGivenOut(parts, account, user))) {
      const made = await findOwnUser(parts, account);
      if (!made) throw nameTaken(account, user.id);
      // The account's own user was renamed, and the store that knew it is lost.
      return claimUser(parts, account, made);
    }
    const { signIns } = await parts.vault.read(account);
    const kept = signIns.filter(({ userId }) => userId === user.id).map(({ tokenId }) => tokenId);
    await takeOver({ admin, addresses }, account, user.id, kept);
  }
  await bindUser(parts, account, boundId, user.id);
  return restoreName(admin, account, user);
}

/** Binds the account to the user, instead of `former` where that one is gone. @throws CodedError `overloaded` */
export async function bindUser(
  { identities }: Pick<IdentityParts, "identities">,
  account: string,
  former: string | null,
  userId: string,
): Promise<void> {
  const isBound = await (former === null || former === userId
    ? identities.bind(account, userId)
    : identities.rebind(account, former, userId));
  // Somebody else was quicker, and what they bound is found by the next try.
  if (!isBound) throw new CodedError("overloaded");
}

/** Calls the account's user by the account's name. @throws CodedError `name_taken` when somebody else has it now */
export async function restoreName(admin: MattermostSession, account: string, user: User): Promise<User> {
  if (user.username === account || user.delete_at > 0) return user;
  try {
    const restored = await changeUser(admin, user.id, { username: account });
    writeAudit({ action: "restore_name", account, userId: user.id, outcome: "done" });
    return restored;
  } catch (error) {
    if (!isRefusal(error, "app.user.save.username_exists.app_error")) throw error;
    writeAudit({ action: "restore_name", account, userId: user.id, outcome: "refused" });
    throw new CodedError("name_taken", { cause: error });
  }
}

/** A chain account that happens to have an administrator's name must not get that one's rights. */
export function assertNotStaff(user: User): User {
  if (isStaff(user))
    throw new CodedError("forbidden", { message: "This name belongs to the chat server's staff." });
  return user;
}

/** A refusal to give the user to the account, written to the audit log. */
export function nameTaken(account: string, userId: string, boundTo?: string): CodedError {
  const owner = boundTo === undefined ? {} : { boundTo };
  writeAudit({ action: "hand_out_user", account, userId, ...owner, outcome: "refused" });
  return new CodedError("name_taken");
}

/** The user for which an earlier version stored the account's chat token, also when it was renamed since. */
async function findFormer({ admin, addresses, vault }: IdentityParts, account: string): Promise<User | null> {
  const [signIn] = (await vault.read(account)).signIns;
  const user = signIn ? await nullOn(readUser(admin, signIn.userId), "not_found") : null;
  const isFormer =
    user?.email === addresses.formerOf(account) || addresses.kindOf(account, user?.email ?? "") === "pending";
  return isFormer ? user : null;
}

/**
 * Whether an earlier version made this user for the account and gave it out. Its address says for whom it was made,
 * and can be changed by nobody who has no password. As a stranger may sign up with it, the gateway itself must have
 * met the user too: a chat token of the account in its store, a token of its making, or a note of a bootstrap.
 */
async function wasGivenOut(
  { admin, store, addresses, vault }: IdentityParts,
  account: string,
  user: User,
): Promise<boolean> {
  if (user.email !== addresses.formerOf(account) || user.auth_service !== "") return false;
  const [{ signIns }, placed] = await Promise.all([vault.read(account), listPlaced(store, user.id)]);
  return (
    signIns.some(({ userId }) => userId === user.id) ||
    placed.length > 0 ||
    (await listGatewayPats(admin, user.id)).length > 0
  );
}

/** Takes back the token by which an earlier version let the account into somebody else's user. */
async function revokeMistaken({ admin, vault }: IdentityParts, account: string, userId: string) {
  const entry = await vault.read(account);
  const mistaken = entry.signIns.filter((signIn) => signIn.userId === userId);
  if (mistaken.length === 0) return;
  for (const { tokenId } of mistaken) await revokePat(admin, tokenId);
  const signIns = entry.signIns.filter((signIn) => signIn.userId !== userId);
  await vault.write(account, entry, { ...entry, signIns });
}

/** A password nobody knows. The letters, digits and sign at the end satisfy servers that ask for all classes. */
export function drawPassword(): string {
  return `${randomBytes(24).toString("base64url")}aA1!`;
}

/**
 * Shuts out whoever could get into the user until now: by password, by a mail to its address, by a session, or by a
 * token that is none of `keptTokenIds`. The account's address comes last: a user whom a failure left half taken over has the
 * pending one, and is taken over again. Returns the user as it is then; Mattermost keeps the former address where it
 * wants new ones verified.
 */
export async function takeOver(
  { admin, addresses }: { admin: MattermostSession; addresses: UserAddresses },
  account: string,
  userId: string,
  keptTokenIds: readonly string[] = [],
): Promise<User> {
  await changeUser(admin, userId, { email: addresses.pendingOf(account) });
  await setPassword(admin, userId, drawPassword());
  for (const { id } of await listAccessTokens(admin, userId))
    if (!keptTokenIds.includes(id)) await revokePat(admin, id);
  await endAllSessions(admin, userId);
  const user = await changeUser(admin, userId, { email: addresses.of(account) });
  writeAudit({ action: "take_over_user", account, userId, outcome: "done" });
  return user;
}

const keyOf = (userId: string) => `placed:${userId}`;

/**
 * The communities in whose channels an earlier bootstrap saw the user. One who is subscribed and no longer in the
 * channel has left it, or was put out, through some other client: such a channel is not joined again either.
 */
export function listPlaced(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Remembers where the user is now; communities no longer subscribed to are forgotten. */
export function rememberPlaced(
  store: Store,
  userId: string,
  memberOf: readonly string[],
  subscribed: readonly string[],
): Promise<void> {
  return changeList(store, keyOf(userId), (placed) => {
    const kept = placed.filter((name) => subscribed.includes(name));
    return [...kept, ...memberOf.filter((name) => !kept.includes(name))];
  });
}
