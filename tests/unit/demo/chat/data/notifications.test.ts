import { describe, expect, it } from "vitest";
import { isWanted } from "#app/(demo)/_chat/data/notifications.ts";

describe("a notification", () => {
  it.each([
    ["default", [true, false]],
    ["all", [true, true]],
    ["mention", [true, false]],
    ["none", [false, false]],
  ] as const)("comes at the level %s for a mention and for another message: %j", (notify_level, wanted) => {
    const of = (isMention: boolean) => isWanted({ is_muted: false, notify_level }, isMention);
    expect([of(true), of(false)]).toEqual(wanted);
  });

  it("never comes from a muted channel", () => {
    expect(isWanted({ is_muted: true, notify_level: "all" }, true)).toBe(false);
  });
});
