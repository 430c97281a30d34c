import type { Mattermost } from "../context.ts";
import type { Database } from "../database.ts";
import type { Status, StatusWord } from "../event-bus.ts";

const AWAY_AFTER_MS = 300_000;

function publish(mattermost: Mattermost, status: Status): void {
  mattermost.publish({
    event: "status_change",
    data: { status: status.status, user_id: status.user_id },
    broadcast: { user_id: status.user_id },
  });
}

/** Sets a status that the user (or an admin) chose. Online never counts as set manually. */
export function chooseStatus(
  mattermost: Mattermost,
  userId: string,
  word: StatusWord,
  dndEndTime: number,
): Status {
  const status: Status = {
    user_id: userId,
    status: word,
    manual: word !== "online",
    last_activity_at: mattermost.clock.now(),
    dnd_end_time: word === "dnd" ? dndEndTime : 0,
  };
  saveStatus(mattermost.db, status);
  publish(mattermost, status);
  return status;
}

/** Records activity of the user. A status set manually stays, unless the new one is manual too. */
export function comeOnline(mattermost: Mattermost, userId: string, isManual: boolean): void {
  const before = findStatus(mattermost.db, userId);
  if (before.manual && !isManual) return;
  const status: Status = {
    user_id: userId,
    status: "online",
    manual: false,
    last_activity_at: mattermost.clock.now(),
    dnd_end_time: 0,
  };
  saveStatus(mattermost.db, status);
  if (before.status !== "online") publish(mattermost, status);
}

/** Sets the user to away: at once if the user chose it, otherwise only after 5 minutes without activity. */
export function goAway(mattermost: Mattermost, userId: string, isManual: boolean): void {
  const before = findStatus(mattermost.db, userId);
  if (!isManual) {
    const isIdle = mattermost.clock.now() - before.last_activity_at > AWAY_AFTER_MS;
    if (before.manual || before.status === "away" || !isIdle) return;
  }
  const status: Status = { ...before, status: "away", manual: isManual };
  saveStatus(mattermost.db, status);
  publish(mattermost, status);
}

/** Records that the user's last connection has ended. */
export function goOffline(mattermost: Mattermost, userId: string): void {
  const before = findStatus(mattermost.db, userId);
  if (before.manual || before.status === "offline") return;
  const status: Status = { ...before, status: "offline" };
  saveStatus(mattermost.db, status);
  publish(mattermost, status);
}

type StatusRow = Omit<Status, "manual"> & { manual: number };

/** Returns a user's status: offline, without activity, for a user who was never seen. */
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

function saveStatus(db: Database, status: Status): void {
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

/** Sets every status that was not set manually to offline, because no one is connected after a restart. */
export function resetStatuses(db: Database): void {
  db.run("UPDATE statuses SET status = 'offline' WHERE manual = 0");
}
