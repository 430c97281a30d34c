import { describe, expect, it } from "vitest";
import { type HeldKey, isStillHeld, resolveHeldKey } from "#app/(demo)/_chat/composer/held-key.ts";

/** Returns a key pressed after "@bo" in a text; `|` marks the cursor. */
function press(marked: string, change: Partial<HeldKey> = {}): { held: HeldKey; before: string } {
  const end = marked.indexOf("|");
  const before = marked.replace("|", "");
  const held = {
    trigger: { kind: "person", part: "bo", start: before.indexOf("@") } as const,
    end,
    tail: before.length - end,
    isEnter: true,
    sentLength: null,
    ...change,
  };
  return { held, before };
}

describe("Enter or Tab pressed before its completion has loaded", () => {
  it("completes the word without sending", () => {
    const { held } = press("Dear @bo| yours");
    expect(resolveHeldKey(held, "Dear @bo yours", "@bob ")).toEqual({
      text: "Dear @bob  yours",
      message: null,
      rest: "Dear @bob  yours",
    });
  });

  it("keeps text typed after the key", () => {
    expect(resolveHeldKey(press("@bo|").held, "@bohello", "@bob ").text).toBe("@bob hello");
  });

  it("sends on a second Enter, and keeps text typed after it", () => {
    const { held } = press("@bo|", { sentLength: 2 });
    expect(resolveHeldKey(held, "@bohinext", "@bob ")).toMatchObject({ message: "@bob hi", rest: "next" });
  });

  it("without a completion, sends the text as it was when the key was pressed, and keeps later text", () => {
    const { held } = press("to @bo| all");
    expect(resolveHeldKey(held, "to @bomore all", null)).toMatchObject({
      message: "to @bo all",
      rest: "more",
    });
  });

  it("never sends on Tab", () => {
    const { held } = press("@bo|", { isEnter: false });
    expect(resolveHeldKey(held, "@bo", null)).toEqual({ text: "@bo", message: null, rest: "@bo" });
    expect(resolveHeldKey(held, "@bo", "@bob ").message).toBeNull();
  });

  it("ignores the key once the word has changed", () => {
    const { held, before } = press("Dear @bo|");
    expect(isStillHeld(held, before, "Dear @bo and more")).toBe(true);
    expect(isStillHeld(held, before, "Dear @b")).toBe(false);
    expect(isStillHeld(held, before, "Dear @xo and more")).toBe(false);
  });
});
