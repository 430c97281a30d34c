import { createTtlLruCache } from "../../async/cache.ts";
import { createSingleFlight } from "../../async/concurrency.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { type Community, isCommunityName } from "../../hive/bridge.ts";
import {
  addChannelMember,
  createPublicChannel,
  findNamedChannel,
  type ListedChannel,
  searchTeamChannels,
} from "../../mattermost/channels.ts";
import { isRefusal, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import type { Chat } from "../caller/chat.ts";

const MAX_KNOWN = 20_000;
const KNOWN_FOR_MS = 600_000;
const LONGEST_TITLE = 64;
/** Number of uncached communities above which listing the team's channels is cheaper than asking for each. */
const WORTH_LISTING = 3;

export type CommunityChannels = {
  /**
   * Drops the cached channel of the named community, so that the next join checks whether the channel has
   * been archived. A channel that another bootstrap cached after this one began stays.
   */
  recheckNamed(): void;
  /** Looks up many channels with few calls; worthwhile before joining several. */
  learn(names: readonly string[]): Promise<void>;
  /**
   * Adds the user to the community's channel, creating it if needed, and returns its id. Returns null, without joining,
   * if the id is among `left`.
   * @throws CodedError `not_found` for an archived channel and for a private one of that name, which are never joined
   */
  join(
    community: Community,
    user: { id: string; caller: MattermostCaller },
    left: readonly string[],
  ): Promise<string | null>;
};

/**
 * Creates the lookup of community channels in one team during one bootstrap. Results are shared with all
 * concurrent bootstraps, so the service's access must not end with this bootstrap.
 */
export function createCommunityChannels(
  chat: Pick<Chat, "admin" | "teamId" | "own">,
  named: string | undefined,
): CommunityChannels {
  const { admin: service, teamId, own } = chat;
  const known = own("community-channels", () =>
    createTtlLruCache<string>({ maxEntries: MAX_KNOWN, ttlMs: KNOWN_FOR_MS }),
  );
  const making = own("community-channels-in-the-making", () => new Map<string, Promise<string>>());
  let listed: ReadonlyMap<string, ListedChannel> | null = null;
  const keyOf = (name: string) => `${teamId}/${name}`;
  const namedKey = named === undefined ? null : keyOf(named);
  const namedBefore = namedKey === null ? undefined : known.get(namedKey);

  const find = async (name: string): Promise<string | null> => {
    const channel = await findNamedChannel(service, teamId, name);
    return channel && usableId(channel);
  };

  const make = async ({ name, title }: Community): Promise<string> => {
    const display_name = [...title.trim()].slice(0, LONGEST_TITLE).join("") || name;
    try {
      return (await createPublicChannel(service, { team_id: teamId, name, display_name })).id;
    } catch (error) {
      // Another process has created the channel meanwhile, or the channel is archived or private.
      const id = isTaken(error) && (await find(name));
      if (id) return id;
      throw error;
    }
  };

  /**
   * Returns the id of a community's channel, which is created if missing. If the channels have been listed,
   * one that is missing from the list is new. If another process created it meanwhile, Mattermost refuses the
   * duplicate.
   */
  const findOrMake = async (community: Community): Promise<string> => {
    const present = listed?.get(community.name);
    if (present) return usableId(present);
    return (!listed && (await find(community.name))) || make(community);
  };

  const resolve = async (community: Community): Promise<string> => {
    const key = keyOf(community.name);
    const present = known.get(key) ?? making.get(key);
    if (present !== undefined) return present;
    const found = findOrMake(community);
    making.set(key, found);
    try {
      const id = await found;
      known.set(key, id);
      return id;
    } finally {
      making.delete(key);
    }
  };

  return {
    recheckNamed() {
      if (namedKey !== null && known.get(namedKey) === namedBefore) known.delete(namedKey);
    },
    async learn(names) {
      const unknown = names.filter((name) => known.get(keyOf(name)) === undefined);
      if (unknown.length < WORTH_LISTING) return;
      listed = await listCommunityChannels(chat);
      for (const channel of listed?.values() ?? [])
        if (isUsable(channel)) known.set(keyOf(channel.name), channel.id);
    },
    async join(community, user, left) {
      const isRemembered = known.get(keyOf(community.name)) !== undefined;
      const enter = async () => {
        const channelId = await resolve(community);
        if (left.includes(channelId)) return null;
        // Joins as the user, not as the service, so that Mattermost refuses if the channel is no longer
        // public.
        await addChannelMember(user.caller, channelId, user.id);
        return channelId;
      };
      return enter().catch((error: unknown) => {
        if (!isRemembered || !isGone(error)) throw error;
        known.delete(keyOf(community.name));
        return enter();
      });
    },
  };
}

const isUsable = ({ type, delete_at }: ListedChannel) => type === "O" && delete_at === 0;

function usableId(channel: ListedChannel): string {
  if (channel.delete_at > 0)
    throw new CodedError("not_found", { message: "The channel of this community was archived." });
  if (channel.type !== "O")
    throw new CodedError("not_found", { message: "This community has no public channel." });
  return channel.id;
}

const isTaken = (error: unknown) =>
  isRefusal(
    error,
    "store.sql_channel.save_channel.exists.app_error",
    "store.sql_channel.save_channel.previously.app_error",
  );

const isGone = (error: unknown) => hasCode(error, "not_found", "forbidden", "invalid_request");

/** The prefix of every community's name. */
const PREFIX = "hive-";
/**
 * A bootstrap can afford two of these calls, which together list ten times a team's default limit of
 * channels.
 */
const PER_PAGE = 10_000;
const MOST_PAGES = 2;

type Listing = ReadonlyMap<string, ListedChannel>;

/**
 * Returns a team's channels that are named like communities, by name, including archived and private ones;
 * null if the service is not allowed to search. Concurrent callers share one run.
 */
function listCommunityChannels({
  admin,
  teamId,
  own,
}: Pick<Chat, "admin" | "teamId" | "own">): Promise<Listing | null> {
  const share = own("community-listings", () => createSingleFlight<Listing | null>());
  return share(teamId, () =>
    list(admin, teamId).catch((error: unknown) => {
      if (error instanceof CodedError && error.cause instanceof MattermostRefusal && error.cause.status < 500)
        return null;
      throw error;
    }),
  );
}

async function list(admin: MattermostCaller, teamId: string): Promise<Listing> {
  const listing = new Map<string, ListedChannel>();
  let seen = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { channels, total } = await searchTeamChannels(admin, teamId, {
      term: PREFIX,
      page,
      perPage: PER_PAGE,
    });
    for (const channel of channels) if (isCommunityName(channel.name)) listing.set(channel.name, channel);
    seen += channels.length;
    if (seen >= total) break;
  }
  return listing;
}
