import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLoginSessions } from "../../../lib/auth/login-sessions.ts";
import { openSqliteStore } from "../../../lib/store/open-sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";

const DAY_MS = 86_400_000;
const login = { account: "alice", key: "k", openedAtMs: 1, recordKey: "record" };

describe("a login session that a record has opened", () => {
  let folder: string;
  let store: Store;
  let nowMs = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "login-sessions-"));
    nowMs = 0;
    store = openSqliteStore(folder, { now: () => nowMs, boot: "one" });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async () => {
    const sessions = createLoginSessions(store);
    const { sessionId, refreshId, entry } = sessions.prepare(login);
    const record = ["record", "opened", sessions.lifetimeSeconds] as const;
    await store.commit({ expect: [], set: [entry, record] });
    return { sessions, sessionId, refreshId };
  };

  it("prolongs the record with each renewal, and never after", async () => {
    const { sessions, sessionId, refreshId } = await open();
    nowMs += 20 * DAY_MS;
    expect(await sessions.rotate(sessionId, refreshId)).not.toBeNull();
    nowMs += 20 * DAY_MS;
    expect([await store.get("record"), await sessions.read(sessionId)]).toEqual([
      "opened",
      expect.objectContaining({ account: "alice" }),
    ]);
    nowMs += 20 * DAY_MS;
    expect([await store.get("record"), await sessions.read(sessionId)]).toEqual([null, null]);
  });

  it("is renewed although its record is gone", async () => {
    const { sessions, sessionId, refreshId } = await open();
    await store.delete("record");
    expect(await sessions.rotate(sessionId, refreshId)).not.toBeNull();
    expect(await store.get("record")).toBeNull();
  });

  it("ends with a second use of a refresh token, and prolongs nothing", async () => {
    const { sessions, sessionId, refreshId } = await open();
    await sessions.rotate(sessionId, refreshId);
    nowMs += 20 * DAY_MS;
    expect(await sessions.rotate(sessionId, refreshId)).toBeNull();
    expect(await sessions.read(sessionId)).toBeNull();
    nowMs += 11 * DAY_MS;
    expect(await store.get("record")).toBeNull();
  });
});
