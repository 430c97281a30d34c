import { z } from "zod";
import { type Context, param, readBody } from "../context.ts";
import { refuse } from "../errors.ts";
import { type Category, ensureCategories, readSidebar, updateCategories } from "../operations/categories.ts";
import { demandInTeam, demandSelf } from "../permissions.ts";
import { type Route, route } from "../router.ts";

const WholeCategory = z.object({
  id: z.string(),
  user_id: z.string(),
  team_id: z.string(),
  sorting: z.enum(["", "alpha", "recent", "manual"]).optional(),
  display_name: z.string().min(1).max(64),
  muted: z.boolean().optional(),
  collapsed: z.boolean().optional(),
  channel_ids: z.array(z.string()).nullish(),
});

type Owner = { userId: string; teamId: string };

function readOwner(context: Context): Owner {
  const owner = { userId: param(context, "user_id"), teamId: param(context, "team_id") };
  demandSelf(context, owner.userId);
  demandInTeam(context, owner.teamId, "view_team");
  return owner;
}

function publish(context: Context, owner: Owner, event: string, data: Record<string, unknown>): void {
  context.mattermost.publish({ event, data, broadcast: { user_id: owner.userId, team_id: owner.teamId } });
}

function sidebar(context: Context, owner: Owner): Category[] {
  return readSidebar(context.mattermost, owner.userId, owner.teamId);
}

function getCategories(context: Context): unknown {
  const categories = sidebar(context, readOwner(context));
  return { categories, order: categories.map(({ id }) => id) };
}

function putAll(
  context: Context,
  owner: Owner,
  bodies: readonly z.infer<typeof WholeCategory>[],
): Category[] {
  const own = new Set(ensureCategories(context.mattermost, owner.userId, owner.teamId).map((row) => row.id));
  const isForeign = bodies.some(
    (body) => !own.has(body.id) || body.user_id !== owner.userId || body.team_id !== owner.teamId,
  );
  if (isForeign) refuse("api.context.invalid_body_param.app_error", "category");
  updateCategories(context.mattermost, owner.userId, owner.teamId, bodies);
  const ids = new Set(bodies.map((body) => body.id));
  const updated = sidebar(context, owner).filter((category) => ids.has(category.id));
  publish(context, owner, "sidebar_category_updated", { updatedCategories: JSON.stringify(updated) });
  return updated;
}

function putCategories(context: Context): unknown {
  const owner = readOwner(context);
  return putAll(context, owner, readBody(context, z.array(WholeCategory).min(1), "category"));
}

const base = "/users/{user_id}/teams/{team_id}/channels/categories";

export const categoryRoutes: Route[] = [route("GET", base, getCategories), route("PUT", base, putCategories)];
