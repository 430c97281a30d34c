import { timingSafeEqual } from "node:crypto";
import type { SignIns } from "../../contract/answers.ts";
import { CodedError } from "../../errors.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { listGatewayPats, type Pat, revokePat, revokeUnknownToken } from "../access/pat-vault.ts";
import { closeEnded, endPats } from "./end-tokens.ts";
import type { Gateway } from "./gateway.ts";
import { hashPat } from "./pat-owners.ts";
import type { Session } from "./session.ts";

/** The sign-ins of the caller's account, latest first. */
export async function listSignIns({ gateway, caller, patHash }: Session): Promise<SignIns> {
  const { id } = await readOwnUser(caller);
  const account = await gateway.identities.accountOf(id);
  const { pats } = account === null ? { pats: [] } : await gateway.vault.read(account);
  return {
    signIns: pats
      .filter(({ userId }) => userId === id)
      .map(({ tokenId, token, signIn }) => ({
        id: tokenId,
        device: signIn?.device ?? "",
        signedInAt: new Date(signIn?.since ?? 0).toISOString(),
        isCurrent: hashPat(token) === patHash,
      }))
      .sort((one, other) => other.signedInAt.localeCompare(one.signedInAt)),
  };
}

const keyOf = (signInId: string) => `signin:ended:${signInId}`;
/** Longer than any access token or login of ours can be good. */
const ENDED_FOR_SECONDS = 31 * 86_400;

/**
 * Ends one sign-in of the caller's account, or all but the caller's own: its token, its websockets, and what it could
 * bootstrap again with. Returns the login sessions that are to be ended with them.
 * @throws CodedError `not_found` where the account has no such sign-in
 */
export async function endSignIns(
  { gateway, caller, patHash }: Session,
  wanted: { id: string } | "others",
): Promise<string[]> {
  const user = await readOwnUser(caller);
  const account = await gateway.identities.accountOf(user.id);
  if (account === null) throw new CodedError("not_found");
  const isEnded = ({ tokenId, token, userId }: Pat) =>
    userId === user.id && (wanted === "others" ? hashPat(token) !== patHash : tokenId === wanted.id);
  const { pats } = await gateway.vault.read(account);
  const chosen = pats.filter(isEnded);
  if (wanted !== "others" && chosen.length === 0) throw new CodedError("not_found");
  const seconds = Math.max(ENDED_FOR_SECONDS, gateway.config.accessTokenMaxAgeSeconds);
  // First, so that nobody comes back with the same access token in between.
  for (const { signIn } of chosen) if (signIn) await gateway.store.set(keyOf(signIn.id), "ended", seconds);
  await endPats(gateway, account, isEnded);
  if (wanted === "others") await revokeUnlisted(gateway, account, user.id);
  return chosen.flatMap(({ signIn }) => signIn?.sessionId ?? []);
}

/** Tokens of the gateway's making that its vault has lost. */
async function revokeUnlisted({ admin, vault }: Gateway, account: string, userId: string): Promise<void> {
  const { pats } = await vault.read(account);
  const unlisted = (await listGatewayPats(admin, userId)).filter(
    ({ id }) => !pats.some(({ tokenId }) => tokenId === id),
  );
  await Promise.all(unlisted.map(({ id }) => revokePat(admin, id)));
}

/** @throws CodedError `unauthorized` for a sign-in that its account has ended */
export async function assertNotEnded({ store }: Pick<Gateway, "store">, signInId: string): Promise<void> {
  if ((await store.get(keyOf(signInId))) !== null) throw new CodedError("unauthorized");
}

/**
 * Revokes the caller's PAT and closes its websockets, which Mattermost would leave open, in every process.
 * @throws CodedError `unauthorized` when the PAT is worthless already
 */
export async function logout(gateway: Gateway, pat: string, signal: AbortSignal): Promise<void> {
  const { admin, mattermost, identities, vault } = gateway;
  const user = await readOwnUser(mattermost.as(pat, signal));
  const account = (await identities.accountOf(user.id)) ?? user.username;
  const known = (await vault.read(account)).pats.find(({ token }) => isSame(token, pat));
  if (known) await endPats(gateway, account, ({ tokenId }) => tokenId === known.tokenId);
  else {
    await revokeUnknownToken(admin, mattermost.as(pat), user.id);
    await closeEnded(gateway, hashPat(pat));
  }
}

function isSame(one: string, two: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(two)];
  return first.length === second.length && timingSafeEqual(first, second);
}
