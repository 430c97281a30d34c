import { z } from "zod";
import type { Caller } from "./backend.ts";
import { Done } from "./done.ts";

export const Preference = z.object({
  user_id: z.string(),
  category: z.string(),
  name: z.string(),
  value: z.string(),
});
export type Preference = z.infer<typeof Preference>;

/** All preferences of the caller. */
export async function listPreferences(caller: Caller): Promise<Preference[]> {
  return (await caller.call("GET", "/users/me/preferences", z.array(Preference).nullable())) ?? [];
}

/** Sets preferences of the caller, whose id each must name. */
export async function setPreferences(caller: Caller, preferences: readonly Preference[]): Promise<void> {
  await caller.call("PUT", "/users/me/preferences", Done, preferences);
}
