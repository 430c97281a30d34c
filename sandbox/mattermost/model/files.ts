import type { Database } from "../database.ts";

/** A file without its bytes. */
export type FileRow = {
  id: string;
  user_id: string;
  /** Empty until the file is attached to a post. */
  post_id: string;
  channel_id: string;
  create_at: number;
  update_at: number;
  delete_at: number;
  name: string;
  extension: string;
  size: number;
  mime_type: string;
  /** Width in pixels; 0 unless it is a picture. */
  width: number;
  height: number;
  has_preview: number;
  /** The file's position among the files of its post. */
  position: number;
};

const columns =
  "id, user_id, post_id, channel_id, create_at, update_at, delete_at, name, extension, size, mime_type, width, height, has_preview, position";

export function insertFile(db: Database, row: FileRow, bytes: Uint8Array): void {
  db.insert("files", { ...row, bytes });
}

export function findFile(db: Database, id: string): FileRow | undefined {
  return db.first(`SELECT ${columns} FROM files WHERE id = ?`, id);
}

export function readFileBytes(db: Database, id: string): Uint8Array {
  const row = db.first<{ bytes: ArrayBuffer }>("SELECT bytes FROM files WHERE id = ?", id);
  return row ? new Uint8Array(row.bytes) : new Uint8Array();
}

/** Attaches the author's files that belong to no post yet. Others are skipped, as on the real server. */
export function attachFiles(
  db: Database,
  ids: readonly string[],
  post: { id: string; channel_id: string; user_id: string; create_at: number },
): void {
  let position = 0;
  for (const id of new Set(ids))
    position += db.update(
      "files",
      { id, post_id: "", user_id: post.user_id, delete_at: 0 },
      { post_id: post.id, channel_id: post.channel_id, position, update_at: post.create_at },
    );
}

/** Returns the files of posts in their order. */
export function listFilesOf(db: Database, postIds: readonly string[]): FileRow[] {
  return db.all(
    `SELECT ${columns} FROM files WHERE post_id IN (SELECT value FROM json_each(?)) AND post_id <> '' AND delete_at = 0 ORDER BY position`,
    JSON.stringify(postIds),
  );
}

export function deleteFilesOf(db: Database, postId: string, at: number): void {
  db.update("files", { post_id: postId }, { delete_at: at, update_at: at });
}
