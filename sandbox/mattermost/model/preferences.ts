import type { Database } from "../database.ts";

export type Preference = { user_id: string; category: string; name: string; value: string };

export function listPreferences(db: Database, userId: string, category: string | null = null): Preference[] {
  return db.all(
    "SELECT * FROM preferences WHERE user_id = ?1 AND (?2 IS NULL OR category = ?2) ORDER BY category, name",
    userId,
    category,
  );
}

export function findPreference(
  db: Database,
  userId: string,
  category: string,
  name: string,
): Preference | undefined {
  return db.first(
    "SELECT * FROM preferences WHERE user_id = ? AND category = ? AND name = ?",
    userId,
    category,
    name,
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

/** Forgets everybody's preferences about one thing, as of a deleted post. */
export function deletePreferencesNamed(db: Database, category: string, name: string): void {
  db.run("DELETE FROM preferences WHERE category = ? AND name = ?", category, name);
}

export function readSetting(db: Database, name: string): string | undefined {
  return db.first<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value;
}

export function writeSetting(db: Database, name: string, value: string): void {
  db.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
}
