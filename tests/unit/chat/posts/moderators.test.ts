import { expect, it } from "vitest";
import { createCaches } from "#lib/chat/caller/caches.ts";
import type { Chat } from "#lib/chat/caller/chat.ts";
import { canModerate, findModerator } from "#lib/chat/posts/moderators.ts";

const COMMUNITY = "hive-100001";

/** A gateway whose community is owned by alice, and whose bindings of users to accounts are these. */
function chatWith(bindings: Map<string, string>) {
  const clock = { nowMs: 0 };
  const reads: string[] = [];
  const fault = { isAway: false };
  const chat = {
    caches: createCaches(() => clock.nowMs),
    identities: {
      async accountOf(userId: string) {
        reads.push(userId);
        if (fault.isAway) throw new Error("away");
        return bindings.get(userId) ?? null;
      },
    },
    hive: { agree: async () => ["owner"] },
  } as unknown as Chat;
  return { chat, clock, reads, fault };
}

it("offers moderation for a minute without reading the user's account again", async () => {
  const { chat, clock, reads } = chatWith(new Map([["u1", "alice"]]));
  for (const nowMs of [0, 59_999, 60_000]) {
    clock.nowMs = nowMs;
    expect(await canModerate(chat, COMMUNITY, "u1")).toBe(true);
  }
  expect(reads).toHaveLength(2);
});

it("lets nobody act as a moderator whose account was bound to another user since the last look", async () => {
  const bindings = new Map([["u1", "alice"]]);
  const { chat } = chatWith(bindings);
  expect(await canModerate(chat, COMMUNITY, "u1")).toBe(true);
  expect(await findModerator(chat, COMMUNITY, "u1")).toBe("alice");
  bindings.delete("u1");
  bindings.set("u2", "alice");
  expect(await findModerator(chat, COMMUNITY, "u1")).toBeNull();
  expect(await findModerator(chat, COMMUNITY, "u2")).toBe("alice");
});

it("offers no moderation while the store is away, and looks again once it is back", async () => {
  const { chat, fault } = chatWith(new Map([["u1", "alice"]]));
  fault.isAway = true;
  expect(await canModerate(chat, COMMUNITY, "u1")).toBe(false);
  fault.isAway = false;
  expect(await canModerate(chat, COMMUNITY, "u1")).toBe(true);
});

it("looks again for a user who was bound to no account", async () => {
  const bindings = new Map<string, string>();
  const { chat } = chatWith(bindings);
  expect(await canModerate(chat, COMMUNITY, "u1")).toBe(false);
  bindings.set("u1", "alice");
  expect(await canModerate(chat, COMMUNITY, "u1")).toBe(true);
});
