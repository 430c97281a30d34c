import { z } from "zod";
import { type Context, param, readBody } from "../context.ts";
import { type ErrorId, refuse } from "../errors.ts";
import { deletePreference, listPreferences, type Preference, savePreference } from "../model/preferences.ts";
import { favorChannel } from "../operations/channel-membership.ts";
import { demandSelf } from "../permissions.ts";
import { ok } from "../require.ts";
import { type Route, route } from "../router.ts";

const Preferences = z.array(
  z.object({ user_id: z.string(), category: z.string(), name: z.string(), value: z.string().default("") }),
);
const MAX_PREFERENCES = 100;
const ThemeValue = z.record(z.string(), z.string());

function isTheme(value: string): boolean {
  try {
    return ThemeValue.safeParse(JSON.parse(value)).success;
  } catch {
    // A value that is not JSON is not a theme.
    return false;
  }
}

function check(preference: Preference): void {
  const { category, name, value } = preference;
  if (category === "" || category.length > 32) refuse("model.preference.is_valid.category.app_error");
  if (name.length > 32) refuse("model.preference.is_valid.name.app_error");
  if ([...value].length > 20_000) refuse("model.preference.is_valid.value.app_error");
  if (category === "theme" && !isTheme(value)) refuse("model.preference.is_valid.theme.app_error");
}

function readUserId(context: Context): string {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  return userId;
}

function getAll(context: Context): unknown {
  return listPreferences(context.mattermost.db, readUserId(context));
}

function readAll(context: Context, userId: string, foreign: ErrorId): Preference[] {
  const preferences = readBody(context, Preferences, "preferences");
  const isTooLong = context.mattermost.isV11 && preferences.length > MAX_PREFERENCES;
  if (isTooLong || (context.mattermost.isV11 && preferences.length === 0)) {
    refuse("api.context.invalid_body_param.app_error", "preferences");
  }
  if (preferences.some((preference) => preference.user_id !== userId)) refuse(foreign);
  return preferences;
}

function publish(context: Context, userId: string, event: string, preferences: Preference[]): void {
  const broadcast = { user_id: userId };
  context.mattermost.publish({ event: "sidebar_category_updated", data: {}, broadcast });
  context.mattermost.publish({ event, data: { preferences: JSON.stringify(preferences) }, broadcast });
}

function putAll(context: Context): unknown {
  const userId = readUserId(context);
  const preferences = readAll(context, userId, "api.preference.update_preferences.set.app_error");
  for (const preference of preferences) check(preference);
  for (const preference of preferences) {
    savePreference(context.mattermost.db, preference);
    if (preference.category === "favorite_channel") {
      favorChannel(context.mattermost, userId, preference.name, preference.value === "true");
    }
  }
  publish(context, userId, "preferences_changed", preferences);
  return ok;
}

function postDelete(context: Context): unknown {
  const userId = readUserId(context);
  const preferences = readAll(context, userId, "api.preference.delete_preferences.delete.app_error");
  for (const { category, name } of preferences) {
    deletePreference(context.mattermost.db, userId, category, name);
    if (category === "favorite_channel") favorChannel(context.mattermost, userId, name, false);
  }
  publish(context, userId, "preferences_deleted", preferences);
  return ok;
}

export const preferenceRoutes: Route[] = [
  route("GET", "/users/{user_id}/preferences", getAll),
  route("PUT", "/users/{user_id}/preferences", putAll),
  route("POST", "/users/{user_id}/preferences/delete", postDelete),
];
