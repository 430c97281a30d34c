import { describe, expect, it } from "vitest";
import { createActiveMessage } from "../../../app/(demo)/_chat/message/active-message.ts";

describe("the message that shows its actions", () => {
  it("is the one that mouse or focus came to last", () => {
    const message = createActiveMessage();
    message.claim({ id: "a", reason: "focus" });
    message.claim({ id: "b", reason: "hover" });
    expect([message.active(), message.hasFocus("a")]).toEqual(["b", true]);
    message.claim({ id: "a", reason: "focus" });
    expect(message.active()).toBe("a");
    message.release({ id: "a", reason: "focus" });
    expect(message.active()).toBe("b");
    message.release({ id: "b", reason: "hover" });
    expect(message.active()).toBeNull();
  });

  it("is the one with something open, wherever the mouse is", () => {
    const message = createActiveMessage();
    message.claim({ id: "a", reason: "pin" });
    message.claim({ id: "b", reason: "hover" });
    expect(message.active()).toBe("a");
    message.releaseAll("a");
    expect(message.active()).toBe("b");
  });
});
