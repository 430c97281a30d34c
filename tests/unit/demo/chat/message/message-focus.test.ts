import { describe, expect, it } from "vitest";
import { createActiveMessage } from "#app/(demo)/_chat/message/message-focus.ts";

describe("message with visible actions", () => {
  it("shows actions on the message under the mouse, or otherwise on the focused one", () => {
    const message = createActiveMessage();
    message.claim({ id: "b", reason: "hover" });
    message.claim({ id: "a", reason: "focus" });
    expect([message.active(), message.hasFocus("a")]).toEqual(["b", true]);
    message.release({ id: "b", reason: "hover" });
    expect(message.active()).toBe("a");
    message.release({ id: "a", reason: "focus" });
    expect(message.active()).toBeNull();
  });

  it("shows actions on the focused message after Tab, until the mouse moves", () => {
    const message = createActiveMessage();
    message.claim({ id: "b", reason: "hover" });
    message.leadByKey();
    message.claim({ id: "a", reason: "focus" });
    expect(message.active()).toBe("a");
    message.claim({ id: "b", reason: "hover" });
    expect(message.active()).toBe("b");
  });

  it("shows actions on the message with an open menu, wherever the mouse is", () => {
    const message = createActiveMessage();
    message.claim({ id: "a", reason: "pin" });
    message.claim({ id: "b", reason: "hover" });
    expect(message.active()).toBe("a");
    message.releaseAll("a");
    expect(message.active()).toBe("b");
  });
});
