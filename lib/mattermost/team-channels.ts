import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { Caller } from "./backend.ts";
import { Channel } from "./channel.ts";
import { path } from "./path.ts";

/** How many channels one page of `listPublicChannels` holds. */
export const CHANNELS_PER_PAGE = 200;

/** One page of a team's public channels that are not archived. */
export function listPublicChannels(caller: Caller, teamId: string, page: number): Promise<Channel[]> {
  const query = new URLSearchParams({ page: String(page), per_page: String(CHANNELS_PER_PAGE) });
  return caller.call("GET", `${path`/teams/${teamId}/channels`}?${query}`, z.array(Channel));
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
