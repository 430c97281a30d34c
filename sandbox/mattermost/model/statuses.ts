import type { Database } from "../database.ts";
import type { Status, StatusWord } from "../hub-contract.ts";

type StatusRow = Omit<Status, "manual"> & { manual: number };

/** Offline with no activity for somebody who was never seen. */
export function findStatus(db: Database, userId: string): Status {
  const row = db.first<StatusRow>("SELECT * FROM statuses WHERE user_id = ?", userId);
  if (!row)
    return { user_id: userId, status: "offline", manual: false, last_activity_at: 0, dnd_end_time: 0 };
  return {
    user_id: row.user_id,
    status: row.status,
    manual: row.manual === 1,
    last_activity_at: row.last_activity_at,
    dnd_end_time: row.dnd_end_time,
  };
}

export function saveStatus(db: Database, status: Status): void {
  db.run(
    "INSERT OR REPLACE INTO statuses (user_id, status, manual, last_activity_at, dnd_end_time) VALUES (?, ?, ?, ?, ?)",
    status.user_id,
    status.status,
    Number(status.manual),
    status.last_activity_at,
    status.dnd_end_time,
  );
}

export function listPresent(db: Database): ReadonlyMap<string, StatusWord> {
  const rows = db.all<StatusRow>("SELECT * FROM statuses WHERE status <> 'offline'");
  return new Map(rows.map((row) => [row.user_id, row.status]));
}

/** After a restart nobody is connected: what was not set by hand is offline. */
export function resetStatuses(db: Database): void {
  db.run("UPDATE statuses SET status = 'offline' WHERE manual = 0");
}
