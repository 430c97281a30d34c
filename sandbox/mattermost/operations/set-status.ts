import type { Backend } from "../backend.ts";
import type { Status, StatusWord } from "../hub-contract.ts";
import { findStatus, saveStatus } from "../model/statuses.ts";

const AWAY_AFTER_MS = 300_000;

function publish(backend: Backend, status: Status): void {
  backend.publish({
    event: "status_change",
    data: { status: status.status, user_id: status.user_id },
    broadcast: { user_id: status.user_id },
  });
}

/** What the user themselves (or an admin for them) chose. Online is never "by hand". */
export function chooseStatus(backend: Backend, userId: string, word: StatusWord, dndEndTime: number): Status {
  const status: Status = {
    user_id: userId,
    status: word,
    manual: word !== "online",
    last_activity_at: backend.clock.now(),
    dnd_end_time: word === "dnd" ? dndEndTime : 0,
  };
  saveStatus(backend.db, status);
  publish(backend, status);
  return status;
}

/** The user did something. What they chose by hand stays, unless this too is by hand. */
export function comeOnline(backend: Backend, userId: string, isManual: boolean): void {
  const before = findStatus(backend.db, userId);
  if (before.manual && !isManual) return;
  const status: Status = {
    user_id: userId,
    status: "online",
    manual: false,
    last_activity_at: backend.clock.now(),
    dnd_end_time: 0,
  };
  saveStatus(backend.db, status);
  if (before.status !== "online") publish(backend, status);
}

/** The user's client says that they are idle: away, if by hand or if nothing was heard of them for 5 minutes. */
export function goAway(backend: Backend, userId: string, isManual: boolean): void {
  const before = findStatus(backend.db, userId);
  if (!isManual) {
    const isIdle = backend.clock.now() - before.last_activity_at > AWAY_AFTER_MS;
    if (before.manual || before.status === "away" || !isIdle) return;
  }
  const status: Status = { ...before, status: "away", manual: isManual };
  saveStatus(backend.db, status);
  publish(backend, status);
}

/** The user's last connection is gone. */
export function goOffline(backend: Backend, userId: string): void {
  const before = findStatus(backend.db, userId);
  if (before.manual || before.status === "offline") return;
  const status: Status = { ...before, status: "offline" };
  saveStatus(backend.db, status);
  publish(backend, status);
}
