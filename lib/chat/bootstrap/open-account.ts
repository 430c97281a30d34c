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
import { mintPat, type Pat, revokeOldestPats, revokePat, type VaultEntry } from "../access/pat-vault.ts";
import { rememberBootstrapped } from "../channels/channel-settings.ts";
import { forgetLeft, listLeft } from "../channels/membership.ts";
import { ensureTeamMember, ensureUser, userLockOf } from "../people/ensure-user.ts";
import {
  assertNotStaff,
  type IdentityParts,
  listPlaced,
  rememberPlaced,
  restoreName,
} from "../people/find-account-user.ts";
import type { Gateway } from "../session/gateway.ts";
import type { CommunityChannels } from "./community-channels.ts";

type Parts = IdentityParts & Pick<Gateway, "mattermost" | "teamId"> & { signal: AbortSignal };

/** A user who may come in: the token, and the channels that the user is in. */
type OpenAccount = { pat: Pat; caller: MattermostSession; channels: Channel[] };

/**
 * Opens the chat account of a chain account: with the token in the vault where it still works and is one of the
 * account's bound user (two calls), else by making whatever is missing, in one process at a time.
 * @throws CodedError `forbidden` for a closed account, `name_taken`, `name_reserved`, `user_limit_reached`
 */
export async function openAccount(parts: Parts, username: string): Promise<OpenAccount> {
  const entry = await parts.vault.read(username);
  const open = await tryPat(parts, username, entry.pat);
  if (open) return open;
  return withLock(parts.store, userLockOf(username), parts.signal, async () => {
    const latest = await parts.vault.read(username);
    const isNewer = latest.sealed !== entry.sealed;
    return (isNewer && (await tryPat(parts, username, latest.pat))) || provision(parts, username, latest);
  });
}

/** Null when the token is dead, or not that of the account's bound user. */
async function tryPat(parts: Parts, username: string, pat: Pat | null): Promise<OpenAccount | null> {
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

async function provision(parts: Parts, username: string, previous: VaultEntry): Promise<OpenAccount> {
  const { admin, vault } = parts;
  const { user, isNew } = await ensureUser(parts, username);
  if (!isNew) await revokeOldestPats(admin, user.id);
  const pat = await mintPat(admin, user.id);
  if (!(await vault.write(username, previous, pat))) {
    // This process was so slow that it lost the lock: the other one's token is the one to hand out.
    await revokePat(admin, pat.tokenId);
    throw new CodedError("overloaded");
  }
  // An earlier version went by the name alone, and may have let the account into somebody else's user.
  if (previous.pat && previous.pat.userId !== user.id) await revokePat(admin, previous.pat.tokenId);
  const caller = parts.mattermost.as(pat.token, parts.signal);
  return { pat, caller, channels: isNew ? [] : await listInTeam(parts, caller, user.id) };
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
  if (isNamedMissing) channels.recheck(named.name);
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
