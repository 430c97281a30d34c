import { timingSafeEqual } from "node:crypto";
import { CodedError, nullOn } from "../../errors.ts";
import { hasLostKey, isEnough } from "../../hive/access-token.ts";
import type { Authority } from "../../hive/authority.ts";
import { log } from "../../log.ts";
import { isStaff, readOwnUser, readUser } from "../../mattermost/users.ts";
import { writeAudit } from "../access/identities.ts";
import { listGatewayPats, revokePat, revokeUnknownToken, type SignIn } from "../access/pat-vault.ts";
import type { UnlistedToken } from "../access/unlisted-tokens.ts";
import type { Gateway } from "./gateway.ts";
import { forgetPatOwner, signInOf } from "./session.ts";

/** Sign-ins of an account that are open at once; one more ends the one that was used least recently. */
export const MOST_SIGN_INS = 20;
/** Longer than any access token lives. */
const ENDED_FOR_SECONDS = 400 * 86_400;
const ATTEMPTS = 20;

const endedKeyOf = (account: string, proof: string) => `sign-in:ended:${account}:${proof}`;

/** Returns whether the sign-in of that proof was ended for good: its access token opens nothing any more. */
export async function isEnded({ store }: Pick<Gateway, "store">, account: string, proof: string) {
  return (await store.get(endedKeyOf(account, proof))) !== null;
}

/** The sign-ins of the caller's account, the most recently used first, and which of them the caller uses. */
export async function listSignIns(
  gateway: Gateway,
  pat: string,
  signal: AbortSignal,
): Promise<Array<SignIn & { isCurrent: boolean }>> {
  const { account } = await readCaller(gateway, pat, signal);
  const { signIns } = await gateway.vault.read(account);
  return signIns
    .map((signIn) => ({ ...signIn, isCurrent: isSame(signIn.token, pat) }))
    .sort((one, two) => Number(two.isCurrent) - Number(one.isCurrent) || two.seenAtMs - one.seenAtMs);
}

/**
 * Ends one sign-in of the caller's account for good: its chat token, its websockets, its login, and what its access token
 * could open.
 * @throws CodedError `not_found`, `unauthorized`
 */
export async function endSignIn(gateway: Gateway, pat: string, tokenId: string, signal: AbortSignal) {
  const { account, userId } = await readCaller(gateway, pat, signal);
  const { signIns } = await gateway.vault.read(account);
  const ended = signIns.filter((signIn) => signIn.tokenId === tokenId);
  if (ended.length === 0) throw new CodedError("not_found");
  await end(gateway, account, ended, true);
  writeAudit({ action: "end_sign_ins", account, userId, reason: "asked", ended: 1, outcome: "done" });
}

/**
 * Ends all sign-ins of the caller's account but the caller's own for good, those too of which nothing is listed: tokens
 * of a lost store, and logins and access tokens of before this moment that have opened no chat yet.
 * @throws CodedError `unauthorized`
 */
export async function endOtherSignIns(gateway: Gateway, pat: string, signal: AbortSignal): Promise<void> {
  const { account, userId } = await readCaller(gateway, pat, signal);
  const now = gateway.now();
  await changeVault(gateway, account, (content) => ({ ...content, endedBeforeMs: now }));
  const { signIns } = await gateway.vault.read(account);
  const own = signIns.find(({ token }) => isSame(token, pat));
  await gateway.endOtherLogins(account, now, own?.proof ?? null);
  const others = signIns.filter((signIn) => signIn !== own);
  await end(gateway, account, others, true);
  // Without an entry of its own, the caller's token can't be told from the rest.
  const unlisted = own
    ? (await listGatewayPats(gateway.admin, userId)).filter(({ id }) => id !== own.tokenId)
    : [];
  for (const { id } of unlisted) await revokePat(gateway.admin, id);
  const ended = others.length + unlisted.length;
  writeAudit({ action: "end_sign_ins", account, userId, reason: "asked", ended, outcome: "done" });
}

/**
 * Ends the sign-ins of an account by keys that it no longer holds, for good and with an audit line: by the word of nodes
 * that have come further than those which proved the key. `authority` is a first look.
 */
export async function endOfLostKeys(
  gateway: Gateway,
  account: string,
  authority: Authority | null,
): Promise<void> {
  const { signIns } = await gateway.vault.read(account);
  const over: SignIn[] = [];
  for (const signIn of signIns) {
    const { key, openedAtMs } = signIn;
    if (key === null || isEnough(authority, key)) continue;
    if (await hasLostKey(gateway.hive, account, key, openedAtMs)) over.push(signIn);
  }
  const [first] = over;
  if (!first) return;
  await end(gateway, account, over, true);
  const { userId } = first;
  const ended = over.length;
  writeAudit({ action: "end_sign_ins", account, userId, reason: "key_changed", ended, outcome: "done" });
}

/** More than the clocks of the gateway and the chain may differ. */
const SKEW_MS = 10_000;

/**
 * Ends the tokens without a known sign-in that were made before their account last changed its keys or its profile, with
 * an audit line: of such a token nobody can tell by which key it was opened.
 */
export async function endOfUnlisted(
  gateway: Gateway,
  account: string,
  tokens: readonly UnlistedToken[],
  updatedAtMs: number,
): Promise<void> {
  const old = tokens.filter(({ madeAtMs }) => updatedAtMs > madeAtMs - SKEW_MS);
  const [first] = old;
  if (!first) return;
  const { signIns } = await gateway.vault.read(account);
  // One that was just being made when it was found has a sign-in by now.
  const over = old.filter(({ tokenId }) => {
    const signIn = signIns.find((one) => one.tokenId === tokenId);
    return !signIn || signIn.proof === "";
  });
  const kept = signIns.filter(({ tokenId }) => over.some((one) => one.tokenId === tokenId));
  await end(gateway, account, kept, false);
  for (const { tokenId } of over) await revokePat(gateway.admin, tokenId);
  const { userId } = first;
  if (over.length > 0) {
    gateway.sockets.closeOf(userId);
    await gateway.logouts.announce(userId);
    const ended = over.length;
    writeAudit({ action: "end_sign_ins", account, userId, reason: "key_changed", ended, outcome: "done" });
  }
  await gateway.unlisted.forget(old);
}

/**
 * Ends all sign-ins of a user who has become one of Mattermost's staff, with an audit line: their tokens, also those of a
 * lost store, would have an administrator's rights. Whether an access token opens another is bootstrap's to judge.
 */
export async function endOfStaff(gateway: Gateway, account: string, userId: string): Promise<void> {
  const { signIns } = await gateway.vault.read(account);
  const listed = signIns.filter((signIn) => signIn.userId === userId);
  if (listed.length > 0) await end(gateway, account, listed, false);
  const unlisted = await listGatewayPats(gateway.admin, userId);
  for (const { id } of unlisted) await revokePat(gateway.admin, id);
  const ended = listed.length + unlisted.length;
  if (ended > 0)
    writeAudit({ action: "end_sign_ins", account, userId, reason: "role_raised", ended, outcome: "done" });
}

/** Looks at the roles of a user of whom Mattermost says that they changed. Never rejects: the watch looks again. */
export async function endIfStaff(gateway: Gateway, userId: string): Promise<void> {
  try {
    const account = await gateway.identities.accountOf(userId);
    const user = account === null ? null : await nullOn(readUser(gateway.admin, userId), "not_found");
    if (account !== null && user && isStaff(user)) await endOfStaff(gateway, account, userId);
  } catch (error) {
    log().warn({ cause: (error as Error).name }, "a user's roles could not be looked at");
  }
}

/**
 * Revokes the caller's PAT and closes its websockets, which Mattermost would leave open, in every process.
 * @throws CodedError `unauthorized` when the PAT is worthless already
 */
export async function logout(gateway: Gateway, pat: string, signal: AbortSignal): Promise<void> {
  const { admin, mattermost, vault } = gateway;
  const { account, userId } = await readCaller(gateway, pat, signal);
  const own = (await vault.read(account)).signIns.find(({ token }) => isSame(token, pat));
  if (own) await end(gateway, account, [own], false);
  else {
    await revokeUnknownToken(admin, mattermost.as(pat), userId);
    await shutOut(gateway, pat);
  }
}

/** The caller's account and user, as Mattermost has them now. @throws CodedError `degraded`, `unauthorized` */
async function readCaller(
  { mattermost, identities, requireStore }: Gateway,
  pat: string,
  signal: AbortSignal,
) {
  await requireStore();
  const { id, username } = await readOwnUser(mattermost.as(pat, signal));
  return { account: (await identities.accountOf(id)) ?? username, userId: id };
}

/** Ends sign-ins: the tokens first, and their entries last, so that what breaks off is done again. */
async function end(gateway: Gateway, account: string, ended: readonly SignIn[], isForGood: boolean) {
  for (const { proof } of isForGood ? ended : []) {
    await gateway.store.set(endedKeyOf(account, proof), "ended", ENDED_FOR_SECONDS);
    await gateway.endLogin(proof);
  }
  for (const { tokenId } of ended) await revokePat(gateway.admin, tokenId);
  await Promise.all(ended.map(({ token }) => shutOut(gateway, token)));
  const gone = ended.map(({ tokenId }) => tokenId);
  await changeVault(gateway, account, (content) => ({
    ...content,
    signIns: content.signIns.filter(({ tokenId }) => !gone.includes(tokenId)),
  }));
}

/** Closes the websockets of a revoked PAT and forgets what is remembered of it, in every process. */
export async function shutOut(gateway: Gateway, pat: string): Promise<void> {
  const signIn = signInOf(pat);
  gateway.sockets.closeOf(signIn);
  await Promise.all([gateway.logouts.announce(signIn), forgetPatOwner(gateway, pat)]).catch(
    (error: unknown) => {
      // The PAT is dead, which is what counts.
      log().warn({ cause: (error as Error).name }, "the end of a sign-in could not be written down");
    },
  );
}

type Content = { signIns: SignIn[]; endedBeforeMs: number };

/** Changes an account's entry in the vault as one step, also between processes. @throws CodedError `overloaded` */
async function changeVault({ vault }: Gateway, account: string, change: (content: Content) => Content) {
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
