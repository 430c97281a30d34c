import { z } from "zod";
import type { Caller } from "./backend.ts";
import { path } from "./path.ts";

/** A part of the sidebar with its channels in order; written back whole. */
export const SidebarCategory = z.looseObject({
  id: z.string(),
  type: z.string(),
  channel_ids: z
    .array(z.string())
    .nullable()
    .transform((ids) => ids ?? []),
});
export type SidebarCategory = z.infer<typeof SidebarCategory>;

const Categories = z.object({ categories: z.array(SidebarCategory) });

/** The caller's sidebar categories in a team. */
export async function listCategories(caller: Caller, teamId: string): Promise<SidebarCategory[]> {
  return (await caller.call("GET", path`/users/me/teams/${teamId}/channels/categories`, Categories))
    .categories;
}

/** Writes these categories and leaves the others. */
export async function updateCategories(
  caller: Caller,
  teamId: string,
  categories: readonly SidebarCategory[],
): Promise<void> {
  const address = path`/users/me/teams/${teamId}/channels/categories`;
  await caller.call("PUT", address, z.array(SidebarCategory), categories);
}
