import { createTtlLruCache, type Scope } from "../../async/cache.ts";
import { forEachWithConcurrency } from "../../async/concurrency.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { type Community, isCommunityName } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import { type Channel, listOwnChannels } from "../../mattermost/channels.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostSession } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { withLock } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";
import {
  mintPat,
  type Pat,
  revokeOldestPats,
  revokePat,
  type SignIn,
  type VaultEntry,
} from "../access/pat-vault.ts";
import { rememberBootstrapped } from "../channels/channel-settings.ts";
import { forgetLeft, listLeft } from "../channels/membership.ts";
import { ensureTeamMember, ensureUser, userLockOf } from "../people/ensure-user.ts";
import { assertNotStaff, listPlaced, rememberPlaced, restoreName } from "../people/find-account-user.ts";
import type { Gateway, IdentityProof } from "../session/gateway.ts";
import { isEnded, MOST_SIGN_INS, shutOut } from "../session/sign-ins.ts";
import type { CommunityChannels } from "./community-channels.ts";

type Parts = Gateway & { signal: AbortSignal };

/** A user who may come in: the token, and the channels that the user is in. */
type OpenAccount = { pat: Pat; caller: MattermostSession; channels: Channel[] };

/** What an account signs in with: the proof that its access token is, and the `User-Agent` of the device. */
export type SigningIn = { proof: IdentityProof; userAgent: string };

/**
 * Opens the chat account of a chain account: with the token of this very sign-in where it still works and is one of the
 * account's bound user (two calls), else by making whatever is missing, in one process at a time.
 * @throws CodedError `unauthorized` for a sign-in that was ended, `forbidden` for a closed account, `name_taken`,
 * `name_reserved`, `user_limit_reached`
 */
export async function openAccount(
  parts: Parts,
  username: string,
  signingIn: SigningIn,
): Promise<OpenAccount> {
  const entry = await parts.vault.read(username);
  const find = ({ signIns }: VaultEntry) => signIns.find(({ proof }) => proof === signingIn.proof.id);
  const present = find(entry);
  const open = await tryPat(parts, username, present);
  if (open) {
    if (present) noteSeen(parts, username, present);
    return open;
  }
  return withLock(parts.store, userLockOf(username), parts.signal, async () => {
    const latest = await parts.vault.read(username);
    const isNewer = latest.sealed !== entry.sealed;
    return (
      (isNewer && (await tryPat(parts, username, find(latest)))) ||
      provision(parts, username, latest, signingIn)
    );
  });
}

/** How exactly a list of sign-ins tells when each was last used; finer would be a write for every bootstrap. */
const SEEN_EXACT_TO_MS = 600_000;

/** Notes that a sign-in is used, beside the request, which it neither holds up nor fails. */
function noteSeen({ vault, now: clock }: Parts, username: string, { tokenId, seenAtMs }: SignIn): void {
  const now = clock();
  if (now - seenAtMs < SEEN_EXACT_TO_MS) return;
  const note = async () => {
    const entry = await vault.read(username);
    const signIns = entry.signIns.map((one) => (one.tokenId === tokenId ? { ...one, seenAtMs: now } : one));
    await vault.write(username, entry, { ...entry, signIns });
  };
  note().catch(() => {
    // Like after a write of somebody else meanwhile, the next bootstrap notes it.
  });
}

/** Null when the token is dead, or not that of the account's bound user. */
async function tryPat(parts: Parts, username: string, pat: Pat | undefined): Promise<OpenAccount | null> {
  if (!pat || (await parts.identities.userOf(username)) !== pat.userId) return null;
  const caller = parts.mattermost.as(pat.token, parts.signal);
  const [user, channels] = await Promise.allSettled([
    readOwnUser(caller),
    listOwnChannels(caller, parts.teamId),
  ]);
  if (user.status === "rejected") {
    if (hasCode(user.reason, "unauthorized")) return null;
    throw user.reason;
  }
  if (user.value.id !== pat.userId) return null;
  await restoreName(parts.admin, username, assertNotStaff(user.value));
  if (channels.status === "fulfilled") return { pat, caller, channels: channels.value };
  if (hasCode(channels.reason, "unauthorized")) return null;
  return { pat, caller, channels: await listInTeam(parts, caller, pat.userId) };
}

/** The user's channels; one whom Mattermost refuses as none of the team is put into it first. */
async function listInTeam(parts: Parts, caller: MattermostSession, userId: string): Promise<Channel[]> {
  const { admin, teamId } = parts;
  try {
    return await listOwnChannels(caller, teamId);
  } catch (error) {
    if (!hasCode(error, "forbidden") && !hasCode(error, "not_found")) throw error;
    await ensureTeamMember(admin, teamId, userId);
    return listOwnChannels(caller, teamId);
  }
}

async function provision(
  parts: Parts,
  username: string,
  previous: VaultEntry,
  { proof, userAgent }: SigningIn,
): Promise<OpenAccount> {
  const { admin } = parts;
  await assertOpen(parts, username, previous, proof);
  const { user, isNew } = await ensureUser(parts, username);
  if (!isNew) {
    const [kept] = partSignIns(previous.signIns, user.id, proof.id);
    await revokeOldestPats(
      admin,
      user.id,
      kept.map(({ tokenId }) => tokenId),
    );
  }
  const pat = await mintPat(admin, user.id);
  const now = parts.now();
  const { id, key, app } = proof;
  const made = { ...pat, proof: id, key, ...(app !== undefined && { app }), userAgent };
  const signIn = { ...made, openedAtMs: now, seenAtMs: now };
  const over = await addSignIn(parts, username, previous, { signIn, proof }).catch(async (error: unknown) => {
    await revokePat(admin, pat.tokenId);
    throw error;
  });
  for (const { tokenId, token } of over) {
    await revokePat(admin, tokenId);
    await shutOut(parts, token);
  }
  const caller = parts.mattermost.as(pat.token, parts.signal);
  return { pat, caller, channels: isNew ? [] : await listInTeam(parts, caller, user.id) };
}

/** @throws CodedError `unauthorized` for a sign-in that was ended */
async function assertOpen(
  parts: Parts,
  username: string,
  { endedBeforeMs }: VaultEntry,
  proof: IdentityProof,
): Promise<void> {
  if (proof.madeAtMs < endedBeforeMs || (await isEnded(parts, username, proof.id)))
    throw new CodedError("unauthorized");
}

const ATTEMPTS = 5;

/**
 * Writes a new sign-in down, and returns those that end by it. Without the lock others are only ended or noted as seen
 * meanwhile; another of the same proof is that of a process which got the lock because this one was slow.
 * @throws CodedError `unauthorized`, `overloaded`
 */
async function addSignIn(
  parts: Parts,
  username: string,
  previous: VaultEntry,
  { signIn, proof }: { signIn: SignIn; proof: IdentityProof },
): Promise<SignIn[]> {
  const isKnown = ({ tokenId }: SignIn) => previous.signIns.some((one) => one.tokenId === tokenId);
  let entry = previous;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [kept, over] = partSignIns(entry.signIns, signIn.userId, proof.id);
    if (await parts.vault.write(username, entry, { ...entry, signIns: [...kept, signIn] })) return over;
    entry = await parts.vault.read(username);
    if (entry.signIns.some((one) => one.proof === proof.id && !isKnown(one))) break;
    await assertOpen(parts, username, entry, proof);
  }
  throw new CodedError("overloaded");
}

/**
 * Which sign-ins stay beside a new one, and which end: the one in its place, the least recently used of too many, the
 * token of an earlier version, which belongs to no key, and those of a user who is not the account's.
 */
function partSignIns(
  signIns: readonly SignIn[],
  userId: string,
  proof: string,
): [kept: SignIn[], over: SignIn[]] {
  const kept = signIns
    .filter((one) => one.userId === userId && one.proof !== proof && one.proof !== "")
    .sort((one, two) => two.seenAtMs - one.seenAtMs)
    .slice(0, MOST_SIGN_INS - 1);
  return [kept, signIns.filter((one) => !kept.includes(one))];
}

const AT_ONCE = 8;
/** How long a channel that refused a user is not tried again: bootstraps stay cheap where many are archived. */
const REFUSED_FOR_MS = 3_600_000;
const MAX_REFUSED = 50_000;

/**
 * Puts the user into the channels of the communities they are subscribed to, those left before excepted, and into the
 * named one in any case; tells the named one's channel id. `subscriptions` is null when the chain could not tell.
 */
export async function placeUser(
  { store, own: keep, channels }: { store: Store; own: Scope; channels: CommunityChannels },
  account: OpenAccount,
  subscriptions: readonly Community[] | null,
  named: Community | null,
): Promise<string | undefined> {
  const userId = account.pat.userId;
  const user = { id: userId, caller: account.caller };
  const own = new Map(
    account.channels
      .filter(({ name, type }) => (type === "O" || type === "P") && isCommunityName(name))
      .map(({ name, id }) => [name, id]),
  );
  const missing = (subscriptions ?? []).filter(({ name }) => !own.has(name) && name !== named?.name);
  const [left, placed] =
    missing.length > 0 ? await Promise.all([listLeft(store, userId), listPlaced(store, userId)]) : [[], []];
  const refused = keep("refused-communities", () =>
    createTtlLruCache<true>({ maxEntries: MAX_REFUSED, ttlMs: REFUSED_FOR_MS }),
  );
  const wanted = missing.filter(
    ({ name }) => !placed.includes(name) && refused.get(`${userId}/${name}`) === undefined,
  );
  const isNamedMissing = named !== null && !own.has(named.name);
  if (isNamedMissing) channels.recheckNamed();
  await channels.learn([...wanted, ...(isNamedMissing ? [named] : [])].map(({ name }) => name));

  const joined: string[] = [];
  const join = async (community: Community, exceptions: readonly string[]) => {
    const channelId = await channels.join(community, user, exceptions);
    if (channelId === null) return;
    own.set(community.name, channelId);
    joined.push(channelId);
  };
  if (isNamedMissing) await join(named, []);
  await forEachWithConcurrency(wanted, AT_ONCE, (community) =>
    join(community, left).catch((error: unknown) => {
      // One channel that can't be joined (archived, private, full) keeps nobody from the chat; a Mattermost that is away does.
      if (!isRefusal(error)) throw error;
      refused.set(`${userId}/${community.name}`, true);
      log().warn(
        { community: community.name, code: error.code },
        "a community's channel could not be joined",
      );
    }),
  );

  await rememberBootstrapped(store, userId, [...own.values()], joined);
  const channelId = named ? own.get(named.name) : undefined;
  if (channelId !== undefined) await forgetLeft(store, userId, channelId);
  if (subscriptions)
    await rememberPlaced(
      store,
      userId,
      [...own.keys()],
      subscriptions.map(({ name }) => name),
    );
  return channelId;
}

const isRefusal = (error: unknown): error is CodedError =>
  error instanceof CodedError && (error.code === "not_found" || error.cause instanceof MattermostRefusal);
