import { timingSafeEqual } from "node:crypto";
import { CodedError, nullOn } from "../../errors.ts";
import { hasLostKey } from "../../hive/access-token.ts";
import type { Authority } from "../../hive/authority.ts";
import { isEnough } from "../../hive/posting-signature.ts";
import { log } from "../../log.ts";
import { isStaff, readOwnUser, readUser } from "../../mattermost/users.ts";
import { writeAudit } from "../access/identities.ts";
import { listGatewayPats, revokePat, revokeUnknownToken, type SignIn } from "../access/pat-vault.ts";
import type { UnlistedToken } from "../access/unlisted-tokens.ts";
import type { Chat } from "./chat.ts";
import { forgetPatOwner, signInOf } from "./pat-owners.ts";

/** Maximum open sign-ins per account; one more ends the least recently used. */
export const MOST_SIGN_INS = 20;
/** Longer than any access token lives. */
const ENDED_FOR_SECONDS = 400 * 86_400;
const ATTEMPTS = 20;

const endedKeyOf = (account: string, proof: string) => `sign-in:ended:${account}:${proof}`;

/** Returns whether the sign-in with that proof was ended for good, so its access token is worthless. */
export async function isEnded({ store }: Pick<Chat, "store">, account: string, proof: string) {
  return (await store.get(endedKeyOf(account, proof))) !== null;
}

/**
 * Lists the sign-ins of the caller's account: the caller's own, marked, and then the others, most recently
 * used first.
 */
export async function listSignIns(
  chat: Chat,
  pat: string,
  signal: AbortSignal,
): Promise<Array<SignIn & { isCurrent: boolean }>> {
  const { account } = await readCaller(chat, pat, signal);
  const { signIns } = await chat.vault.read(account);
  return signIns
    .map((signIn) => ({ ...signIn, isCurrent: isSame(signIn.token, pat) }))
    .sort((one, two) => Number(two.isCurrent) - Number(one.isCurrent) || two.seenAtMs - one.seenAtMs);
}

/**
 * Ends one sign-in of the caller's account for good: its chat token, websockets and login, and any further use of its
 * access token.
 * @throws CodedError `not_found`, `unauthorized`
 */
export async function endSignIn(chat: Chat, pat: string, tokenId: string, signal: AbortSignal) {
  const { account, userId } = await readCaller(chat, pat, signal);
  const { signIns } = await chat.vault.read(account);
  const ended = signIns.filter((signIn) => signIn.tokenId === tokenId);
  if (ended.length === 0) throw new CodedError("not_found");
  await end(chat, account, ended, true);
  writeAudit({ action: "end_sign_ins", account, userId, reason: "asked", ended: 1, outcome: "done" });
}

/**
 * Ends the sign-in that an access token with this proof opened, or could still open, for good: its chat token,
 * websockets and login. Does nothing more if it has ended already.
 */
export async function endSignInOf(chat: Chat, account: string, proof: string): Promise<void> {
  const ended = await endProofs(chat, account, [proof]);
  const [first] = ended;
  if (!first) return;
  await end(chat, account, ended, false);
  const { userId } = first;
  writeAudit({ action: "end_sign_ins", account, userId, reason: "asked", ended: 1, outcome: "done" });
}

/**
 * Ends all other sign-ins of the caller's account for good, including unlisted ones: tokens of a lost store,
 * and earlier logins and access tokens that have not opened a chat yet.
 * @throws CodedError `unauthorized`
 */
export async function endOtherSignIns(chat: Chat, pat: string, signal: AbortSignal): Promise<void> {
  const { account, userId } = await readCaller(chat, pat, signal);
  const now = chat.now();
  await changeVault(chat, account, (content) => ({ ...content, endedBeforeMs: now }));
  const { signIns } = await chat.vault.read(account);
  const own = signIns.find(({ token }) => isSame(token, pat));
  await chat.endOtherLogins(account, now, own?.proof ?? null);
  const others = signIns.filter((signIn) => signIn !== own);
  await end(chat, account, others, true);
  // Without the entry of the caller's sign-in, the caller's token cannot be distinguished from the rest.
  const unlisted = own
    ? (await listGatewayPats(chat.admin, userId)).filter(({ id }) => id !== own.tokenId)
    : [];
  for (const { id } of unlisted) await revokePat(chat.admin, id);
  const ended = others.length + unlisted.length;
  writeAudit({ action: "end_sign_ins", account, userId, reason: "asked", ended, outcome: "done" });
}

/**
 * Ends, for good and with an audit line, the sign-ins of an account whose keys it no longer has. Nodes must
 * confirm this from later blocks than those that proved the key; `authority` is a first check.
 */
export async function endOfLostKeys(chat: Chat, account: string, authority: Authority | null): Promise<void> {
  const { signIns } = await chat.vault.read(account);
  const over: SignIn[] = [];
  for (const signIn of signIns) {
    const { key, openedAtMs } = signIn;
    if (key === null || isEnough(authority, key)) continue;
    if (await hasLostKey(chat.hive, account, key, openedAtMs)) over.push(signIn);
  }
  const [first] = over;
  if (!first) return;
  await end(chat, account, over, true);
  const { userId } = first;
  const ended = over.length;
  writeAudit({ action: "end_sign_ins", account, userId, reason: "key_changed", ended, outcome: "done" });
}

/** Exceeds any likely difference between the clocks of the gateway and the chain. */
const SKEW_MS = 10_000;

/**
 * Ends tokens without a known sign-in that were created before their account last changed its keys or profile, with an
 * audit line, because it is unknown which key opened such a token.
 */
export async function endOfUnlisted(
  chat: Chat,
  account: string,
  tokens: readonly UnlistedToken[],
  updatedAtMs: number,
): Promise<void> {
  const old = tokens.filter(({ madeAtMs }) => updatedAtMs > madeAtMs - SKEW_MS);
  const [first] = old;
  if (!first) return;
  const { signIns } = await chat.vault.read(account);
  // A token found while it was being created has a sign-in by now.
  const over = old.filter(({ tokenId }) => {
    const signIn = signIns.find((one) => one.tokenId === tokenId);
    return !signIn || signIn.proof === "";
  });
  const kept = signIns.filter(({ tokenId }) => over.some((one) => one.tokenId === tokenId));
  await end(chat, account, kept, false);
  for (const { tokenId } of over) await revokePat(chat.admin, tokenId);
  const { userId } = first;
  if (over.length > 0) {
    chat.sockets.closeOf(userId);
    await chat.logouts.announce(userId);
    const ended = over.length;
    writeAudit({ action: "end_sign_ins", account, userId, reason: "key_changed", ended, outcome: "done" });
  }
  await chat.unlisted.forget(old);
}

/**
 * Ends all sign-ins of a user who became Mattermost staff, with an audit line: their tokens, including those
 * of a lost store, would have an administrator's rights. Bootstrap decides whether an access token opens
 * another sign-in.
 */
export async function endOfStaff(chat: Chat, account: string, userId: string): Promise<void> {
  const { signIns } = await chat.vault.read(account);
  const listed = signIns.filter((signIn) => signIn.userId === userId);
  if (listed.length > 0) await end(chat, account, listed, false);
  const unlisted = await listGatewayPats(chat.admin, userId);
  for (const { id } of unlisted) await revokePat(chat.admin, id);
  const ended = listed.length + unlisted.length;
  if (ended > 0)
    writeAudit({ action: "end_sign_ins", account, userId, reason: "role_raised", ended, outcome: "done" });
}

/**
 * Ends the sign-ins of a user who became staff, after Mattermost reported a change. Never rejects: the watch
 * checks again.
 */
export async function endIfStaff(chat: Chat, userId: string): Promise<void> {
  try {
    const account = await chat.identities.accountOf(userId);
    const user = account === null ? null : await nullOn(readUser(chat.admin, userId), "not_found");
    if (account !== null && user && isStaff(user)) await endOfStaff(chat, account, userId);
  } catch (error) {
    log().warn(
      { cause: (error as Error).name },
      "a user's roles could not be read; the next check reads them again",
    );
  }
}

/**
 * Revokes the caller's PAT and closes its websockets, which Mattermost would leave open, in every process.
 * @throws CodedError `unauthorized` if the PAT is already invalid
 */
export async function logout(chat: Chat, pat: string, signal: AbortSignal): Promise<void> {
  const { admin, mattermost, vault } = chat;
  const { account, userId } = await readCaller(chat, pat, signal);
  const own = (await vault.read(account)).signIns.find(({ token }) => isSame(token, pat));
  if (own) await end(chat, account, [own], false);
  else {
    await revokeUnknownToken(admin, mattermost.as(pat), userId);
    await shutOut(chat, pat);
  }
}

/** Reads the caller's account and user from Mattermost. @throws CodedError `degraded`, `unauthorized` */
async function readCaller({ mattermost, identities, requireStore }: Chat, pat: string, signal: AbortSignal) {
  await requireStore();
  const { id, username } = await readOwnUser(mattermost.as(pat, signal));
  return { account: (await identities.accountOf(id)) ?? username, userId: id };
}

/** Ends sign-ins: revokes the tokens first and removes the entries last, so that an interrupted run is repeated. */
async function end(chat: Chat, account: string, listed: readonly SignIn[], isForGood: boolean) {
  const proofs = listed.map(({ proof }) => proof);
  const opened = isForGood ? await endProofs(chat, account, proofs) : [];
  const ended = [
    ...listed,
    ...opened.filter(({ tokenId }) => listed.every((one) => one.tokenId !== tokenId)),
  ];
  for (const { tokenId } of ended) await revokePat(chat.admin, tokenId);
  await Promise.all(ended.map(({ token }) => shutOut(chat, token)));
  const gone = ended.map(({ tokenId }) => tokenId);
  await changeVault(chat, account, (content) => ({
    ...content,
    signIns: content.signIns.filter(({ tokenId }) => !gone.includes(tokenId)),
  }));
}

/** Ends proofs and their logins for good, and returns the sign-ins that they have opened so far, which are the last. */
async function endProofs(chat: Chat, account: string, proofs: readonly string[]): Promise<SignIn[]> {
  for (const proof of proofs) {
    await chat.store.set(endedKeyOf(account, proof), "ended", ENDED_FOR_SECONDS);
    await chat.endLogin(proof);
  }
  // A bootstrap under way has read the entry already: this makes its write fail, and it then finds the end.
  await changeVault(chat, account, (content) => content);
  const { signIns } = await chat.vault.read(account);
  return signIns.filter(({ proof }) => proof !== "" && proofs.includes(proof));
}

/** Closes the websockets of a revoked PAT and drops its cached values, in every process. */
export async function shutOut(chat: Chat, pat: string): Promise<void> {
  const signIn = signInOf(pat);
  chat.sockets.closeOf(signIn);
  await Promise.all([chat.logouts.announce(signIn), forgetPatOwner(chat, pat)]).catch((error: unknown) => {
    // Only logged, because the PAT itself is already revoked.
    log().warn({ cause: (error as Error).name }, "the end of a sign-in could not be stored");
  });
}

type Content = { signIns: SignIn[]; endedBeforeMs: number };

/** Changes an account's entry in the vault atomically across processes. @throws CodedError `overloaded` */
async function changeVault({ vault }: Chat, account: string, change: (content: Content) => Content) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await vault.read(account);
    if (await vault.write(account, entry, change(entry))) return;
  }
  throw new CodedError("overloaded");
}

function isSame(one: string, two: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(two)];
  return first.length === second.length && timingSafeEqual(first, second);
}
