import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutgoingPost } from "../../../app/(demo)/_chat/data/model.ts";
import { createOutbox } from "../../../app/(demo)/_chat/data/outbox.ts";
import { memoryStorage } from "./memory-storage.ts";

const outgoing = (pendingId: string): OutgoingPost => ({
  pendingId,
  channelId: "room",
  rootId: "",
  message: "text",
  createdAt: 1,
  state: "sending",
});

describe("the outbox", () => {
  beforeEach(() => void vi.stubGlobal("localStorage", memoryStorage()));
  afterEach(() => void vi.unstubAllGlobals());

  it("keeps unsent posts over a reload, as ones to be sent again", () => {
    createOutbox("alice").add(outgoing("a:1"));
    expect(createOutbox("alice").snapshot()).toEqual([{ ...outgoing("a:1"), state: "failed" }]);
    expect(createOutbox("bob").snapshot()).toEqual([]);
  });

  it("forgets a post that arrived, also on the device", () => {
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

  it("begins empty where the kept text is unreadable", () => {
    localStorage.setItem("hivegate.outbox.alice", "{");
    expect(createOutbox("alice").snapshot()).toEqual([]);
  });
});
