import type { Database } from "../database.ts";

export type Preference = { user_id: string; category: string; name: string; value: string };

export function listPreferences(db: Database, userId: string, category: string | null = null): Preference[] {
  return db.all(
    "SELECT * FROM preferences WHERE user_id = ?1 AND (?2 IS NULL OR category = ?2) ORDER BY category, name",
    userId,
    category,
  );
}

export function savePreference(db: Database, preference: Preference): void {
  db.run(
    "INSERT OR REPLACE INTO preferences (user_id, category, name, value) VALUES (?, ?, ?, ?)",
    preference.user_id,
    preference.category,
    preference.name,
    preference.value,
  );
}

export function deletePreference(db: Database, userId: string, category: string, name: string): void {
  db.run("DELETE FROM preferences WHERE user_id = ? AND category = ? AND name = ?", userId, category, name);
}

/** Deletes all users' preferences about one subject, such as a deleted post. */
export function deletePreferencesNamed(db: Database, category: string, name: string): void {
  db.run("DELETE FROM preferences WHERE category = ? AND name = ?", category, name);
}

export function readSetting(db: Database, name: string): string | undefined {
  return db.first<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value;
}

export function writeSetting(db: Database, name: string, value: string): void {
  db.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
}

export type CategoryType = "favorites" | "channels" | "direct_messages" | "custom";

export type CategoryRow = {
  id: string;
  user_id: string;
  team_id: string;
  sort_order: number;
  sorting: string;
  type: CategoryType;
  display_name: string;
  muted: number;
  collapsed: number;
};

export function insertCategory(db: Database, row: CategoryRow): void {
  db.insert("categories", row);
}

export function updateCategory(db: Database, id: string, changes: Partial<Omit<CategoryRow, "id">>): void {
  db.update("categories", { id }, changes);
}

export function listCategories(db: Database, userId: string, teamId: string): CategoryRow[] {
  return db.all(
    "SELECT * FROM categories WHERE user_id = ? AND team_id = ? ORDER BY sort_order, id",
    userId,
    teamId,
  );
}

/** Returns the ids of the channels in a category, in order. */
export function listCategoryChannels(db: Database, categoryId: string): string[] {
  return db
    .all<{ channel_id: string }>(
      "SELECT channel_id FROM category_channels WHERE category_id = ? ORDER BY sort_order, channel_id",
      categoryId,
    )
    .map((row) => row.channel_id);
}

export function setCategoryChannels(db: Database, categoryId: string, channelIds: readonly string[]): void {
  db.run("DELETE FROM category_channels WHERE category_id = ?", categoryId);
  for (const [index, channelId] of channelIds.entries()) {
    db.insert("category_channels", {
      category_id: categoryId,
      channel_id: channelId,
      sort_order: index * 10,
    });
  }
}

/** Removes a channel from a user's categories, in one team or in every team that may list it. */
export function dropFromCategories(
  db: Database,
  userId: string,
  channelId: string,
  teamId: string | null = null,
): void {
  db.run(
    `DELETE FROM category_channels WHERE channel_id = ?1 AND category_id IN (
       SELECT id FROM categories WHERE user_id = ?2 AND (?3 IS NULL OR team_id = ?3))`,
    channelId,
    userId,
    teamId,
  );
}
