import { createTtlLruCache, type Scope } from "../../async/cache.ts";
import { forEachWithConcurrency } from "../../async/concurrency.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { type Community, isCommunityName } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import { type Channel, listOwnChannels } from "../../mattermost/channels.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
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
import { forgetLeft, listLeft } from "../bootstrap-notes/left-channels.ts";
import { rememberBootstrapped } from "../bootstrap-notes/opened-channels.ts";
import { listPlaced, rememberPlaced } from "../bootstrap-notes/placed-communities.ts";
import type { Chat, IdentityProof } from "../caller/chat.ts";
import { isEnded, MOST_SIGN_INS, shutOut } from "../caller/sign-ins.ts";
import { ensureTeamMember, ensureUser, userLockOf } from "../people/ensure-user.ts";
import { assertNotStaff, restoreName } from "../people/find-account-user.ts";
import type { CommunityChannels } from "./community-channels.ts";

type Parts = Chat & { signal: AbortSignal };

/** An admitted user: the token, and the channels that the user is in. */
type OpenAccount = { pat: Pat; caller: MattermostCaller; channels: Channel[] };

/** The credentials of a sign-in: the proof from its access token, and the `User-Agent` of the device. */
export type SigningIn = { proof: IdentityProof; userAgent: string };

/**
 * Opens the chat account of a chain account. If this sign-in's token still works and belongs to the account's
 * bound user, opening takes two Mattermost calls. Otherwise it creates whatever is missing, in one process at
 * a time.
 * @throws CodedError `unauthorized` for an ended sign-in, `forbidden` for a closed account, `name_taken`,
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

/** Precision of the last-used times in a list of sign-ins; anything finer would need a write per bootstrap. */
const SEEN_EXACT_TO_MS = 600_000;

/** Records in the background that a sign-in is used. It neither delays nor fails the request. */
function noteSeen({ vault, now: clock }: Parts, username: string, { tokenId, seenAtMs }: SignIn): void {
  const now = clock();
  if (now - seenAtMs < SEEN_EXACT_TO_MS) return;
  const note = async () => {
    const entry = await vault.read(username);
    const signIns = entry.signIns.map((one) => (one.tokenId === tokenId ? { ...one, seenAtMs: now } : one));
    await vault.write(username, entry, { ...entry, signIns });
  };
  note().catch(() => {
    // Ignored: if this write fails, or another process wrote meanwhile, the next bootstrap records the use.
  });
}

/** Returns null if the token is no longer valid or belongs to a user other than the account's. */
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

/**
 * Lists the user's channels. If Mattermost refuses a user for not being in the team, adds the user to it
 * first.
 */
async function listInTeam(parts: Parts, caller: MattermostCaller, userId: string): Promise<Channel[]> {
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

/** @throws CodedError `unauthorized` for an ended sign-in */
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
 * Stores a new sign-in and returns the sign-ins that it ends. Processes without the lock only end other
 * entries or mark them as seen. An entry with the same proof comes from a process that took the lock because
 * this one was slow.
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
 * Divides the existing sign-ins into those that stay alongside a new one and those that end: the one that it
 * replaces, the least recently used beyond the limit, the keyless token of an earlier version, and those of a
 * user other than the account's.
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
/**
 * Pause before a channel that refused a user is tried again, so that bootstraps stay cheap with many archived
 * channels.
 */
const REFUSED_FOR_MS = 3_600_000;
const MAX_REFUSED = 50_000;

/**
 * Adds the user to the channels of their subscribed communities, except those they left, and in any case to
 * the channel of the named community, and returns that channel's id. `subscriptions` is null if the chain did
 * not answer.
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
      // A single channel that cannot be joined (archived, private, full) does not block the bootstrap; an unreachable
      // Mattermost does.
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
