import { processWide } from "../../async/process-wide.ts";
import { createSingleFlight } from "../../async/single-flight.ts";
import { CodedError } from "../../errors.ts";
import { isCommunityName } from "../../hive/bridge.ts";
import type { Caller } from "../../mattermost/backend.ts";
import { BackendRefusal } from "../../mattermost/backend-error.ts";
import { type ListedChannel, searchTeamChannels } from "../../mattermost/team-channels.ts";

/** What the names of all communities begin with. */
const PREFIX = "hive-";
/** Ten times what a team may have by default fits into the two calls that a bootstrap has to spare. */
const PER_PAGE = 10_000;
const MOST_PAGES = 2;

type Listing = ReadonlyMap<string, ListedChannel>;

/**
 * A team's channels with the names of communities, archived and private ones too, by name; null when the backend does
 * not let the service search. Who asks at the same time shares one run.
 */
export function listCommunityChannels(admin: Caller, teamId: string): Promise<Listing | null> {
  const share = processWide("community-listings", () => createSingleFlight<Listing | null>());
  return share(teamId, () =>
    list(admin, teamId).catch((error: unknown) => {
      if (error instanceof CodedError && error.cause instanceof BackendRefusal && error.cause.status < 500)
        return null;
      throw error;
    }),
  );
}

async function list(admin: Caller, teamId: string): Promise<Listing> {
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
