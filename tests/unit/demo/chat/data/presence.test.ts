import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPresence } from "#app/(demo)/_chat/data/presence.ts";

describe("who is online", () => {
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

  it("is asked for once for all who come into view together", () => {
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

  it("is known of nobody while there is nobody to ask, and asked again when there is", () => {
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

  it("is online at once for whoever is seen, unless they want not to be disturbed", () => {
    const presence = createPresence();
    presence.connect(answering("away"));
    presence.tell({ bob: "away", carol: "dnd" });
    for (const id of ["bob", "carol", "eve"]) presence.see(id);
    expect(presence.snapshot()).toEqual({ bob: "online", carol: "dnd", eve: "online" });
  });

  it("is asked of one person though something is known", () => {
    const presence = createPresence();
    presence.connect(answering("away"));
    presence.tell({ bob: "online" });
    presence.ask("bob");
    expect(presence.snapshot()).toEqual({ bob: "away" });
  });

  it("is not taken from an answer that is older than the news", () => {
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

  it("is asked again on a refresh, of those who are still shown", () => {
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

  it("is asked again by the reader's moves after a rest, and never by a clock", () => {
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
});
