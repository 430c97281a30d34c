import { z } from "zod";
import { type Context, param, readBody, readStrings } from "../context.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  deleteCategory,
  dropFromCategory,
  insertCategory,
  setCategoryChannels,
  updateCategory,
} from "../model/preferences.ts";
import {
  type Category,
  ensureCategories,
  fittingChannels,
  readSidebar,
  updateCategories,
} from "../operations/categories.ts";
import { demandInTeam, demandSelf } from "../permissions.ts";
import { ok } from "../require.ts";
import { type Route, route } from "../router.ts";

const NewCategory = z.object({
  user_id: z.string(),
  team_id: z.string(),
  display_name: z.string().min(1).max(64),
  channel_ids: z.array(z.string()).nullish(),
});
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

function requireCategory(context: Context, owner: Owner): Category {
  const category = sidebar(context, owner).find(({ id }) => id === param(context, "category_id"));
  return category ?? refuse("app.channel.sidebar_categories.missing.app_error");
}

function getCategories(context: Context): unknown {
  const categories = sidebar(context, readOwner(context));
  return { categories, order: categories.map(({ id }) => id) };
}

function setOrder(context: Context, ids: readonly string[]): void {
  for (const [index, id] of ids.entries())
    updateCategory(context.mattermost.db, id, { sort_order: index * 10 });
}

function postCategory(context: Context): unknown {
  const { mattermost } = context;
  const owner = readOwner(context);
  const body = readBody(context, NewCategory, "category");
  if (body.user_id !== owner.userId || body.team_id !== owner.teamId) {
    refuse("api.context.invalid_body_param.app_error", "category");
  }
  const rows = ensureCategories(mattermost, owner.userId, owner.teamId);
  const id = makeId();
  insertCategory(mattermost.db, {
    id,
    user_id: owner.userId,
    team_id: owner.teamId,
    sort_order: 0,
    sorting: "",
    type: "custom",
    display_name: body.display_name,
    muted: 0,
    collapsed: 0,
  });
  const channelIds = fittingChannels(
    mattermost,
    owner.userId,
    owner.teamId,
    "custom",
    body.channel_ids ?? [],
  );
  for (const row of rows) dropFromCategory(mattermost.db, row.id, channelIds);
  setCategoryChannels(mattermost.db, id, channelIds);
  const order = rows.map((row) => row.id);
  const place = rows.findIndex((row) => row.type === "favorites") + 1;
  setOrder(context, [...order.slice(0, place), id, ...order.slice(place)]);
  publish(context, owner, "sidebar_category_created", { category_id: id });
  return sidebar(context, owner).find((category) => category.id === id);
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

function putCategory(context: Context): unknown {
  const owner = readOwner(context);
  const body = readBody(context, WholeCategory, "category");
  if (body.id !== param(context, "category_id"))
    refuse("api.context.invalid_body_param.app_error", "category");
  return putAll(context, owner, [body])[0];
}

function getCategory(context: Context): unknown {
  return requireCategory(context, readOwner(context));
}

function removeCategory(context: Context): unknown {
  const owner = readOwner(context);
  const category = requireCategory(context, owner);
  if (category.type !== "custom") refuse("app.channel.sidebar_categories.app_error");
  deleteCategory(context.mattermost.db, category.id);
  publish(context, owner, "sidebar_category_deleted", { category_id: category.id });
  return ok;
}

function getOrder(context: Context): unknown {
  return sidebar(context, readOwner(context)).map(({ id }) => id);
}

function putOrder(context: Context): unknown {
  const owner = readOwner(context);
  const order = readStrings(context, "category_order");
  const own = sidebar(context, owner).map(({ id }) => id);
  if (order.length !== own.length || !own.every((id) => order.includes(id))) {
    refuse("api.context.invalid_body_param.app_error", "category");
  }
  setOrder(context, order);
  publish(context, owner, "sidebar_category_order_updated", { order });
  return order;
}

const base = "/users/{user_id}/teams/{team_id}/channels/categories";

export const categoryRoutes: Route[] = [
  route("GET", base, getCategories),
  route("POST", base, postCategory),
  route("PUT", base, putCategories),
  route("GET", `${base}/order`, getOrder),
  route("PUT", `${base}/order`, putOrder),
  route("GET", `${base}/{category_id}`, getCategory),
  route("PUT", `${base}/{category_id}`, putCategory),
  route("DELETE", `${base}/{category_id}`, removeCategory),
];
