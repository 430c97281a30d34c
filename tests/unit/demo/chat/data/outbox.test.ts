import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutgoingPost } from "#app/(demo)/_chat/data/model.ts";
import { createOutbox, type Outbox } from "#app/(demo)/_chat/data/outbox.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { interleave, storageKeys } from "#tests/harness/shared-storage.ts";
import { unique } from "#tests/harness/unique.ts";

const outgoing = (pendingId: string): OutgoingPost => ({
  pendingId,
  channelId: "room",
  rootId: "",
  message: "text",
  createdAt: 1,
  state: "sending",
});

const idsOf = ({ snapshot }: Outbox) => snapshot().map(({ pendingId }) => pendingId);

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
    expect(idsOf(here)).toEqual(["a:2"]);
  });

  it("stores both posts of two tabs that add one at once", () => {
    const [here, there] = [createOutbox("alice"), createOutbox("alice")];
    interleave(() => there.add(outgoing("a:2")));
    here.add(outgoing("a:1"));
    expect(idsOf(createOutbox("alice")).sort()).toEqual(["a:1", "a:2"]);
  });

  it("loses no post that another tab adds while one is marked or removed", () => {
    const [here, there] = [createOutbox("alice"), createOutbox("alice")];
    here.add(outgoing("a:1"));
    interleave(() => there.add(outgoing("a:2")));
    here.mark("a:1", { state: "waiting" });
    interleave(() => there.add(outgoing("a:3")));
    here.remove("a:1");
    expect(idsOf(createOutbox("alice")).sort()).toEqual(["a:2", "a:3"]);
  });

  it("lists posts in the order in which they were written, whatever the order of their ids", () => {
    const outbox = createOutbox("alice");
    outbox.add({ ...outgoing("a:1"), createdAt: 2 });
    outbox.add({ ...outgoing("a:2"), createdAt: 1 });
    outbox.mark("a:2", { state: "waiting" });
    expect(idsOf(createOutbox("alice"))).toEqual(["a:2", "a:1"]);
  });

  it("shows no post of a user whose name begins like another's", () => {
    createOutbox("alice.bob").add(outgoing("a:1"));
    localStorage.setItem("hivegate.outbox.alice.carol", JSON.stringify([outgoing("a:2")]));
    const outbox = createOutbox("alice");
    outbox.add(outgoing("a:3"));
    expect(idsOf(outbox)).toEqual(["a:3"]);
    expect(idsOf(createOutbox("alice.bob"))).toEqual(["a:1"]);
    expect(idsOf(createOutbox("alice.carol"))).toEqual(["a:2"]);
  });

  it("moves the list of a former version, and a post that an old tab adds to it meanwhile", () => {
    const posts = [outgoing("a:1"), { ...outgoing("a:2"), triedAfter: 7 }];
    const keepList = (list: unknown) => localStorage.setItem("hivegate.outbox.alice", JSON.stringify(list));
    keepList(posts.slice(0, 1));
    interleave(() => keepList(posts));
    expect(createOutbox("alice").snapshot()).toEqual(posts);
    expect(storageKeys()).toEqual(["hivegate.outbox.alice#a:1", "hivegate.outbox.alice#a:2"]);
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
    for (const text of ["{", "1", "[null, 1, {}]", '[{"pendingId":"a:1"}]']) {
      localStorage.setItem("hivegate.outbox.alice", text);
      localStorage.setItem("hivegate.outbox.alice#a:1", text);
      expect(createOutbox("alice").snapshot()).toEqual([]);
    }
  });
});
