import type { Backend } from "../backend.ts";
import {
  type CategoryRow,
  type CategoryType,
  insertCategory,
  listCategories,
  listCategoryChannels,
  setCategoryChannels,
} from "../model/categories.ts";
import { listChannelsOf } from "../model/channels.ts";
import { listPreferences } from "../model/preferences.ts";

export type Category = Omit<CategoryRow, "muted" | "collapsed"> & {
  muted: boolean;
  collapsed: boolean;
  channel_ids: string[];
};

const builtIn: ReadonlyArray<readonly [type: CategoryType, title: string, sorting: string]> = [
  ["favorites", "Favorites", ""],
  ["channels", "Channels", ""],
  ["direct_messages", "Direct Messages", "recent"],
];

const isDirect = (type: string) => type === "D" || type === "G";

/** The user's categories in a team; the three built-in ones are made on first use. */
export function ensureCategories(backend: Backend, userId: string, teamId: string): CategoryRow[] {
  const present = listCategories(backend.db, userId, teamId);
  if (present.length > 0) return present;
  backend.transact(() => {
    for (const [index, [type, display_name, sorting]] of builtIn.entries()) {
      insertCategory(backend.db, {
        id: `${type}_${userId}_${teamId}`,
        user_id: userId,
        team_id: teamId,
        sort_order: index * 10,
        sorting,
        type,
        display_name,
        muted: 0,
        collapsed: 0,
      });
    }
    const favorites = listPreferences(backend.db, userId, "favorite_channel").filter(
      (row) => row.value === "true",
    );
    const mine = new Set(listChannelsOf(backend.db, userId, teamId).map((channel) => channel.id));
    const ids = favorites.map((row) => row.name).filter((id) => mine.has(id));
    setCategoryChannels(backend.db, `favorites_${userId}_${teamId}`, ids);
  });
  return listCategories(backend.db, userId, teamId);
}

/** The sidebar as a client sees it: channels that are in no category stand at the end of the one for their kind. */
export function readSidebar(backend: Backend, userId: string, teamId: string): Category[] {
  const rows = ensureCategories(backend, userId, teamId);
  const channels = listChannelsOf(backend.db, userId, teamId);
  const mine = new Set(channels.map((channel) => channel.id));
  const placed = new Map(
    rows.map((row) => [row.id, listCategoryChannels(backend.db, row.id).filter((id) => mine.has(id))]),
  );
  const taken = new Set([...placed.values()].flat());
  return rows.map((row) => {
    const rest = channels.filter(
      ({ id, type }) =>
        !taken.has(id) &&
        ((row.type === "channels" && !isDirect(type)) || (row.type === "direct_messages" && isDirect(type))),
    );
    const { muted, collapsed, ...values } = row;
    return {
      ...values,
      muted: muted === 1,
      collapsed: collapsed === 1,
      channel_ids: [...(placed.get(row.id) ?? []), ...rest.map(({ id }) => id)],
    };
  });
}

/** Of the ids those that may stand in a category: the user's own channels, of the kind that the type takes, each once. */
export function fittingChannels(
  backend: Backend,
  userId: string,
  teamId: string,
  type: CategoryType,
  ids: readonly string[],
): string[] {
  const kinds = new Map(
    listChannelsOf(backend.db, userId, teamId).map((channel) => [channel.id, channel.type]),
  );
  return [...new Set(ids)].filter((id) => {
    const kind = kinds.get(id);
    if (kind === undefined) return false;
    if (type === "channels") return !isDirect(kind);
    return type !== "direct_messages" || isDirect(kind);
  });
}
