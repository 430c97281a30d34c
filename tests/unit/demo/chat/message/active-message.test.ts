import { describe, expect, it } from "vitest";
import { createActiveMessage } from "#app/(demo)/_chat/message/message-focus.ts";

describe("the message that shows its actions", () => {
  it("is the one under the mouse, and without one the one with the focus", () => {
    const message = createActiveMessage();
    message.claim({ id: "b", reason: "hover" });
    message.claim({ id: "a", reason: "focus" });
    expect([message.active(), message.hasFocus("a")]).toEqual(["b", true]);
    message.release({ id: "b", reason: "hover" });
    expect(message.active()).toBe("a");
    message.release({ id: "a", reason: "focus" });
    expect(message.active()).toBeNull();
  });

  it("is the one with the focus while the Tab key leads, until the mouse moves", () => {
    const message = createActiveMessage();
    message.claim({ id: "b", reason: "hover" });
    message.leadByKey();
    message.claim({ id: "a", reason: "focus" });
    expect(message.active()).toBe("a");
    message.claim({ id: "b", reason: "hover" });
    expect(message.active()).toBe("b");
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
