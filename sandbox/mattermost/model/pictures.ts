import type { Database } from "../database.ts";

type Picture = { content_type: string; bytes: Uint8Array };

export function findPicture(db: Database, userId: string): Picture | undefined {
  return db.first("SELECT content_type, bytes FROM pictures WHERE user_id = ?", userId);
}

export function savePicture(db: Database, userId: string, picture: Picture): void {
  db.run(
    "INSERT OR REPLACE INTO pictures (user_id, content_type, bytes) VALUES (?, ?, ?)",
    userId,
    picture.content_type,
    picture.bytes,
  );
}

export function deletePicture(db: Database, userId: string): void {
  db.run("DELETE FROM pictures WHERE user_id = ?", userId);
}
