import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { Caller } from "./backend.ts";
import { Channel } from "./channel.ts";
import { path } from "./path.ts";

/** What a search of a team's channels tells of one. */
const ListedChannel = Channel.pick({ id: true, name: true, type: true, delete_at: true }).strip();
export type ListedChannel = z.infer<typeof ListedChannel>;

const FoundChannels = z.object({
  channels: z
    .array(ListedChannel)
    .nullish()
    .transform((channels) => channels ?? []),
  total_count: z.number(),
});

/**
 * One page of a team's channels, public and private, archived ones included, that have the term in name, title or
 * purpose. For administrators alone; the backend sets no limit to `perPage`.
 */
export async function searchTeamChannels(
  admin: Caller,
  teamId: string,
  search: { term: string; page: number; perPage: number },
): Promise<{ channels: ListedChannel[]; total: number }> {
  const { term, page, perPage } = search;
  const { channels, total_count } = await admin.call("POST", "/channels/search", FoundChannels, {
    term,
    team_ids: [teamId],
    include_deleted: true,
    page,
    per_page: perPage,
  });
  return { channels, total: total_count };
}

/** The channel of that name that the caller may see, archived ones (`delete_at > 0`) included; null where there is none. */
export async function findNamedChannel(
  caller: Caller,
  teamId: string,
  name: string,
): Promise<Channel | null> {
  try {
    const named = path`/teams/${teamId}/channels/name/${name}`;
    return await caller.call("GET", `${named}?include_deleted=true`, Channel);
  } catch (error) {
    if (error instanceof CodedError && error.code === "not_found") return null;
    throw error;
  }
}
