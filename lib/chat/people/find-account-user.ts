import { randomBytes } from "node:crypto";
import { CodedError, nullOn } from "../../errors.ts";
import { isRefusal, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
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
import { assertUnreservedName, type UserAddresses, writeAudit } from "../access/identities.ts";
import { listGatewayPats, revokePat } from "../access/pat-vault.ts";
import { listPlaced } from "../bootstrap-notes/placed-communities.ts";
import type { Chat } from "../caller/chat.ts";

/** Dependencies for resolving the owner of a chat user. */
export type IdentityParts = Pick<Chat, "admin" | "store" | "identities" | "addresses" | "vault">;

/**
 * Returns the chat user of the account, found by id and renamed back if it was renamed; null if there is none and the
 * name is free. It never returns a user who merely has the name.
 * @throws CodedError `name_taken`, `name_reserved`, `forbidden` (Mattermost staff)
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

/** Returns the chat user of that name, or null. @throws CodedError `name_reserved` */
export async function findUser(caller: MattermostCaller, username: string): Promise<User | null> {
  try {
    return await nullOn(readUserByName(caller, username), "not_found");
  } catch (error) {
    // Mattermost refuses a name this way only if no user can have it.
    const isReserved = error instanceof CodedError && error.cause instanceof MattermostRefusal;
    if (isReserved && error.code === "invalid_request")
      throw new CodedError("name_reserved", { cause: error.cause });
    throw error;
  }
}

/** Returns the user with the address that only the gateway can issue for the account, or null. */
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
 * Assigns a found user to the account if the user is proven to be the account's: bound to it, created for it
 * by this gateway (shown by the tag in its address), or created for it by an earlier version, which stored no
 * bindings.
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
  // The account had another user, so this user received the address after the other one was deleted.
  if (!isOwn && boundId !== null) throw nameTaken(account, user.id);
  const kind = addresses.kindOf(account, user.email);
  if (!isOwn && kind !== "own") {
    if (kind !== "pending" && !(await wasGivenOut(parts, account, user))) {
      const made = await findOwnUser(parts, account);
      if (!made) throw nameTaken(account, user.id);
      // The account's own user was renamed, and the store that held its binding is lost.
      return claimUser(parts, account, made);
    }
    const { signIns } = await parts.vault.read(account);
    const kept = signIns.filter(({ userId }) => userId === user.id).map(({ tokenId }) => tokenId);
    await takeOver({ admin, addresses }, account, user.id, kept);
  }
  await bindUser(parts, account, boundId, user.id);
  return restoreName(admin, account, user);
}

/** Binds the account to the user, replacing `former` if that user was deleted. @throws CodedError `overloaded` */
export async function bindUser(
  { identities }: Pick<IdentityParts, "identities">,
  account: string,
  former: string | null,
  userId: string,
): Promise<void> {
  const isBound = await (former === null || former === userId
    ? identities.bind(account, userId)
    : identities.rebind(account, former, userId));
  // Another process bound first; the next try finds its binding.
  if (!isBound) throw new CodedError("overloaded");
}

/** Renames the account's user to the account's name. @throws CodedError `name_taken` if another user has it now */
export async function restoreName(admin: MattermostCaller, account: string, user: User): Promise<User> {
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

/**
 * Refuses staff with `forbidden`: a chain account that happens to share an administrator's name must not
 * obtain that administrator's rights.
 */
export function assertNotStaff(user: User): User {
  if (isStaff(user))
    throw new CodedError("forbidden", { message: "This name belongs to the chat server's staff." });
  return user;
}

/** Creates the error for refusing a user to the account, and writes the refusal to the audit log. */
export function nameTaken(account: string, userId: string, boundTo?: string): CodedError {
  const owner = boundTo === undefined ? {} : { boundTo };
  writeAudit({ action: "hand_out_user", account, userId, ...owner, outcome: "refused" });
  return new CodedError("name_taken");
}

/** Returns the user whose chat token an earlier version stored for the account, even if since renamed. */
async function findFormer({ admin, addresses, vault }: IdentityParts, account: string): Promise<User | null> {
  const [signIn] = (await vault.read(account)).signIns;
  const user = signIn ? await nullOn(readUser(admin, signIn.userId), "not_found") : null;
  const isFormer =
    user?.email === addresses.formerOf(account) || addresses.kindOf(account, user?.email ?? "") === "pending";
  return isFormer ? user : null;
}

/**
 * Returns whether an earlier version created this user and issued it to the account. The user's address names
 * the account, and cannot be changed without a password. Because anyone can sign up with that address, the
 * gateway must have a trace of the user too: the account's chat token in the store, a token that it created,
 * or a note from a bootstrap.
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

/** Revokes the token by which an earlier version admitted the account as another person's user. */
async function revokeMistaken({ admin, vault }: IdentityParts, account: string, userId: string) {
  const entry = await vault.read(account);
  const mistaken = entry.signIns.filter((signIn) => signIn.userId === userId);
  if (mistaken.length === 0) return;
  for (const { tokenId } of mistaken) await revokePat(admin, tokenId);
  const signIns = entry.signIns.filter((signIn) => signIn.userId !== userId);
  await vault.write(account, entry, { ...entry, signIns });
}

/** Draws a random password. Its ending satisfies servers that require all classes of characters. */
export function drawPassword(): string {
  return `${randomBytes(24).toString("base64url")}aA1!`;
}

/**
 * Locks out everyone who could sign in as the user: by password, by mail to its address, by a session, or by
 * a token not in `keptTokenIds`. The account's address is set last: if the takeover fails halfway, the user
 * has the pending address and is taken over again. Returns the resulting user, whose address Mattermost does
 * not change if new ones must be verified.
 */
export async function takeOver(
  { admin, addresses }: { admin: MattermostCaller; addresses: UserAddresses },
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
