import type { Database } from "../database.ts";

export function readSetting(db: Database, name: string): string | undefined {
  return db.first<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value;
}

export function writeSetting(db: Database, name: string, value: string): void {
  db.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value);
}
