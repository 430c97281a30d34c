import { z } from "zod";
import { Done, type MattermostCaller, path } from "./mattermost.ts";

export const Preference = z.object({
  user_id: z.string(),
  category: z.string(),
  name: z.string(),
  value: z.string(),
});
export type Preference = z.infer<typeof Preference>;

const Preferences = z.array(Preference).nullable();

/** Lists all preferences of the caller. */
export async function listPreferences(caller: MattermostCaller): Promise<Preference[]> {
  return (await caller.call("GET", "/users/me/preferences", Preferences)) ?? [];
}

/** Sets preferences of the caller, each of which must contain the caller's id. */
export async function setPreferences(
  caller: MattermostCaller,
  preferences: readonly Preference[],
): Promise<void> {
  await caller.call("PUT", "/users/me/preferences", Done, preferences);
}

/** A section of the sidebar with its channels in order; written back as a whole. */
export const SidebarCategory = z.looseObject({
  id: z.string(),
  type: z.string(),
  channel_ids: z
    .array(z.string())
    .nullable()
    .transform((ids) => ids ?? []),
});
export type SidebarCategory = z.infer<typeof SidebarCategory>;

const SidebarCategories = z.array(SidebarCategory);
const Categories = z.object({ categories: SidebarCategories });

/** Lists the caller's sidebar categories in a team. */
export async function listCategories(caller: MattermostCaller, teamId: string): Promise<SidebarCategory[]> {
  return (await caller.call("GET", path`/users/me/teams/${teamId}/channels/categories`, Categories))
    .categories;
}

/** Writes these categories and leaves the others unchanged. */
export async function updateCategories(
  caller: MattermostCaller,
  teamId: string,
  categories: readonly SidebarCategory[],
): Promise<void> {
  const address = path`/users/me/teams/${teamId}/channels/categories`;
  await caller.call("PUT", address, SidebarCategories, categories);
}
