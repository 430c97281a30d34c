import { type Channel, findChannels, listOwnChannels } from "../../mattermost/channels.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Session } from "../session/session.ts";

const MIN_TERM = 2;

type FoundChannel = Pick<Channel, "id" | "name" | "display_name" | "type" | "header" | "purpose"> & {
  is_member: boolean;
};

/** Public channels of the team and the caller's own private ones whose name matches. */
export async function searchChannels(
  { caller, gateway }: Session,
  text: string,
): Promise<{ channels: FoundChannel[] }> {
  const term = text.trim();
  if ([...term].length < MIN_TERM) {
    // Nothing to look for, but the PAT may be worthless.
    await readOwnUser(caller);
    return { channels: [] };
  }
  const [found, own] = await Promise.all([
    findChannels(caller, gateway.teamId, term),
    listOwnChannels(caller, gateway.teamId),
  ]);
  const ownIds = new Set(own.map(({ id }) => id));
  const ownPrivate = own.filter((channel) => channel.type === "P" && matches(channel, term.toLowerCase()));
  const channels = new Map([...found, ...ownPrivate].map((channel) => [channel.id, channel]));
  return {
    channels: [...channels.values()].map(({ id, name, display_name, type, header, purpose }) => ({
      id,
      name,
      display_name,
      type,
      header,
      purpose,
      is_member: ownIds.has(id),
    })),
  };
}

const matches = ({ name, display_name }: Channel, term: string) =>
  name.includes(term) || display_name.toLowerCase().includes(term);
