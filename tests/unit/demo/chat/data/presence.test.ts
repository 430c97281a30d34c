import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPresence } from "#app/(demo)/_chat/data/presence.ts";

describe("presence", () => {
  let asked: string[][];
  beforeEach(() => {
    vi.useFakeTimers();
    asked = [];
  });
  afterEach(() => void vi.useRealTimers());
  const answering = (status: string) => (ids: string[], tell: (told: Record<string, string>) => void) => {
    asked.push(ids);
    tell(Object.fromEntries(ids.map((id) => [id, status])));
  };

  it("requests the presence of people who come into view together with one request", () => {
    const presence = createPresence();
    presence.connect(answering("online"));
    presence.show("bob");
    presence.show("bob");
    presence.show("carol");
    vi.advanceTimersByTime(1_000);
    expect(asked).toEqual([["bob", "carol"]]);
    expect(presence.snapshot()).toEqual({ bob: "online", carol: "online" });
    presence.show("bob");
    vi.advanceTimersByTime(1_000);
    expect(asked).toHaveLength(1);
  });

  it("hides presence while disconnected, and requests it again afterwards", () => {
    const presence = createPresence();
    presence.show("bob");
    presence.connect(answering("online"));
    expect(presence.snapshot()).toEqual({ bob: "online" });
    presence.connect(null);
    presence.tell({ bob: "away" });
    expect(presence.snapshot()).toEqual({});
    presence.connect(answering("away"));
    expect(presence.snapshot()).toEqual({ bob: "away" });
  });

  it("shows people as online as soon as they are seen, unless they are in do-not-disturb", () => {
    const presence = createPresence();
    presence.connect(answering("away"));
    presence.tell({ bob: "away", carol: "dnd" });
    for (const id of ["bob", "carol", "eve"]) presence.see(id);
    expect(presence.snapshot()).toEqual({ bob: "online", carol: "dnd", eve: "online" });
  });

  it("requests one person's presence even if it is cached", () => {
    const presence = createPresence();
    presence.connect(answering("away"));
    presence.tell({ bob: "online" });
    presence.ask("bob");
    expect(presence.snapshot()).toEqual({ bob: "away" });
  });

  it("ignores an answer older than a later event", () => {
    const presence = createPresence();
    let answer: (statuses: Record<string, string>) => void = () => undefined;
    presence.show("alice");
    presence.connect((_, tell) => {
      answer = tell;
    });
    presence.tell({ alice: "online" });
    answer({ alice: "offline", bob: "away" });
    expect(presence.snapshot()).toEqual({ alice: "online", bob: "away" });
    presence.refresh();
    answer({ alice: "dnd" });
    expect(presence.snapshot()).toMatchObject({ alice: "dnd" });
  });

  it("on a refresh, requests the presence of the people who are still shown", () => {
    const presence = createPresence();
    presence.connect(answering("online"));
    const leave = presence.show("bob");
    presence.show("carol");
    vi.advanceTimersByTime(1_000);
    leave();
    presence.refresh();
    expect(asked.at(-1)).toEqual(["carol"]);
    expect(presence.snapshot()).toEqual({ carol: "online" });
  });

  it("does not refresh again within the given period", () => {
    const presence = createPresence();
    presence.show("bob");
    presence.connect(answering("online"), 0);
    presence.refresh(60_000, 59_999);
    vi.advanceTimersByTime(3_600_000);
    expect(asked).toHaveLength(1);
    presence.refresh(60_000, 60_000);
    presence.refresh(60_000, 60_001);
    expect(asked).toHaveLength(2);
    presence.refresh(0, 60_002);
    expect(asked).toHaveLength(3);
  });

  it("does not refresh people who were seen within the given period", () => {
    const presence = createPresence();
    for (const id of ["bob", "carol"]) presence.show(id);
    presence.connect(answering("away"), 0);
    presence.see("bob", 1_000);
    presence.refresh(10_000, 10_000);
    expect(asked.at(-1)).toEqual(["carol"]);
    expect(presence.snapshot()).toEqual({ bob: "online", carol: "away" });
    presence.refresh(10_000, 20_000);
    expect(asked.at(-1)).toEqual(["bob", "carol"]);
    presence.see("bob", 21_000);
    presence.refresh(0, 22_000);
    expect(asked.at(-1)).toEqual(["bob", "carol"]);
  });
});
