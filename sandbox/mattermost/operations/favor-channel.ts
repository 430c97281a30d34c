import type { Backend } from "../backend.ts";
import {
  dropFromCategories,
  listCategories,
  listCategoryChannels,
  setCategoryChannels,
} from "../model/categories.ts";
import { findChannelMember } from "../model/channel-members.ts";
import { findChannel } from "../model/channels.ts";
import { listTeamsOf } from "../model/teams.ts";

/** Makes the sidebar follow a `favorite_channel` preference: into the favourites, or back to where the kind belongs. */
export function favorChannel(backend: Backend, userId: string, channelId: string, isFavorite: boolean): void {
  const channel = findChannel(backend.db, channelId);
  if (!channel || !findChannelMember(backend.db, channelId, userId)) return;
  const teamIds = channel.team_id
    ? [channel.team_id]
    : listTeamsOf(backend.db, userId).map((team) => team.id);
  for (const teamId of teamIds) {
    const favorites = listCategories(backend.db, userId, teamId).find((row) => row.type === "favorites");
    // Without a sidebar yet, the preference itself is read when one is made.
    if (!favorites) continue;
    const present = listCategoryChannels(backend.db, favorites.id);
    if (present.includes(channelId) === isFavorite) continue;
    dropFromCategories(backend.db, userId, channelId, teamId);
    if (isFavorite) setCategoryChannels(backend.db, favorites.id, [channelId, ...present]);
  }
}
