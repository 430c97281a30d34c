import { forEachWithConcurrency } from "../../async/concurrency.ts";
import type { Scope } from "../../async/scope.ts";
import { createTtlLruCache } from "../../async/ttl-lru-cache.ts";
import { CodedError } from "../../errors.ts";
import { type Community, isCommunityName } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import { BackendRefusal } from "../../mattermost/backend-error.ts";
import type { Store } from "../../store/store.ts";
import { forgetLeft, listLeft } from "../channels/membership.ts";
import { listPlaced, rememberPlaced } from "../people/placed-communities.ts";
import type { CommunityChannels } from "./community-channels.ts";
import type { OpenAccount } from "./open-account.ts";

const LANES = 8;
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

  const join = async (community: Community, exceptions: readonly string[]) => {
    const channelId = await channels.join(community, user, exceptions);
    if (channelId !== null) own.set(community.name, channelId);
  };
  if (isNamedMissing) await join(named, []);
  await forEachWithConcurrency(wanted, LANES, (community) =>
    join(community, left).catch((error: unknown) => {
      // One channel that can't be joined (archived, private, full) keeps nobody from the chat; a backend that is away does.
      if (!isRefusal(error)) throw error;
      refused.set(`${userId}/${community.name}`, true);
      log().warn(
        { community: community.name, code: error.code },
        "a community's channel could not be joined",
      );
    }),
  );

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
  error instanceof CodedError && (error.code === "not_found" || error.cause instanceof BackendRefusal);
