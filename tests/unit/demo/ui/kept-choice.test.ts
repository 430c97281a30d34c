import { afterEach, describe, expect, it, vi } from "vitest";
import { createKeptChoice } from "#app/(demo)/_ui/external-store.ts";
import { unique } from "#tests/harness/unique.ts";

afterEach(() => vi.unstubAllGlobals());

const denied = () => {
  throw new DOMException("denied", "SecurityError");
};

describe("a choice in a browser without storage", () => {
  it("lasts as long as the page, and notifies its listeners", () => {
    vi.stubGlobal("window", new EventTarget());
    vi.stubGlobal("localStorage", { getItem: denied, setItem: denied });
    const choice = createKeptChoice(unique("hivegate.denied."), "open", "folded");
    const told: string[] = [];
    const end = choice.subscribe(() => told.push(choice.snapshot()));
    choice.choose("folded");
    expect(choice.snapshot()).toBe("folded");
    choice.choose("open");
    expect(told).toEqual(["folded", "open"]);
    end();
  });

  it("lasts as long as the page even if the storage is full or missing", () => {
    vi.stubGlobal("localStorage", { getItem: () => "folded", setItem: denied });
    const choice = createKeptChoice(unique("hivegate.full."), "open", "folded");
    expect(choice.snapshot()).toBe("folded");
    choice.choose("open");
    expect(choice.snapshot()).toBe("open");
    vi.unstubAllGlobals();
    const other = createKeptChoice(unique("hivegate.missing."), "open", "folded");
    other.choose("folded");
    expect(other.snapshot()).toBe("folded");
  });
});
