import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutgoingPost } from "#app/(demo)/_chat/data/model.ts";
import { createOutbox } from "#app/(demo)/_chat/data/outbox.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { unique } from "#tests/harness/unique.ts";

const outgoing = (pendingId: string): OutgoingPost => ({
  pendingId,
  channelId: "room",
  rootId: "",
  message: "text",
  createdAt: 1,
  state: "sending",
});

describe("outbox", () => {
  beforeEach(() => void vi.stubGlobal("localStorage", memoryStorage()));
  afterEach(() => void vi.unstubAllGlobals());

  it("keeps unsent posts across a reload, with their state", () => {
    const outbox = createOutbox("alice");
    outbox.add(outgoing("a:1"));
    outbox.add(outgoing("a:2"));
    outbox.mark("a:1", { state: "sending", triedAfter: 7 });
    outbox.mark("a:2", { state: "failed", problem: "why" });
    expect(createOutbox("alice").snapshot()).toEqual([
      { ...outgoing("a:1"), triedAfter: 7 },
      { ...outgoing("a:2"), state: "failed", problem: "why" },
    ]);
    expect(createOutbox("bob").snapshot()).toEqual([]);
  });

  it("removes a delivered post from memory and from the device's storage", () => {
    const outbox = createOutbox("alice");
    outbox.add(outgoing("a:1"));
    outbox.remove("a:1");
    expect(outbox.snapshot()).toEqual([]);
    expect(createOutbox("alice").snapshot()).toEqual([]);
  });

  it("marks one post as failed with the reason", () => {
    const outbox = createOutbox("alice");
    outbox.add(outgoing("a:1"));
    outbox.add(outgoing("a:2"));
    outbox.mark("a:2", { state: "failed", problem: "why" });
    expect(outbox.snapshot().map(({ state, problem }) => [state, problem])).toEqual([
      ["sending", undefined],
      ["failed", "why"],
    ]);
  });

  it("sets posts in flight back to waiting, and does not change failed posts", () => {
    const outbox = createOutbox("alice");
    outbox.add(outgoing("a:1"));
    outbox.add({ ...outgoing("a:2"), state: "failed" });
    outbox.hold();
    expect(outbox.snapshot().map(({ state }) => state)).toEqual(["waiting", "failed"]);
  });

  it("is shared by two tabs without lost changes", () => {
    const [here, there] = [createOutbox("alice"), createOutbox("alice")];
    here.add(outgoing("a:1"));
    there.add(outgoing("a:2"));
    there.reload();
    there.remove("a:1");
    here.reload();
    expect(here.snapshot().map(({ pendingId }) => pendingId)).toEqual(["a:2"]);
  });

  it("works in memory if the browser stores nothing", () => {
    vi.stubGlobal("localStorage", {
      getItem: () => null,
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    });
    const outbox = createOutbox(unique("dora"));
    outbox.add(outgoing("d:1"));
    outbox.add(outgoing("d:2"));
    outbox.reload();
    expect(outbox.snapshot()).toHaveLength(2);
  });

  it("is full with a hundred posts", () => {
    const outbox = createOutbox("alice");
    for (let index = 0; index < 99; index++) outbox.add(outgoing(`a:${index}`));
    expect(outbox.isFull()).toBe(false);
    outbox.add(outgoing("a:99"));
    expect(outbox.isFull()).toBe(true);
  });

  it("starts empty if the stored text is unreadable", () => {
    localStorage.setItem("hivegate.outbox.alice", "{");
    expect(createOutbox("alice").snapshot()).toEqual([]);
  });
});
