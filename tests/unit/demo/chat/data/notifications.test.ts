import { afterEach, describe, expect, it, vi } from "vitest";
import type { Channel, Post } from "#app/(demo)/_chat/data/model.ts";
import {
  isWanted,
  notificationChoice,
  notify,
  turnOnNotifications,
} from "#app/(demo)/_chat/data/notifications.ts";

describe("notifications", () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["default", [true, false]],
    ["all", [true, true]],
    ["mention", [true, false]],
    ["none", [false, false]],
  ] as const)("at the level %s, notifies of a mention and of another message: %j", (notifyLevel, wanted) => {
    const of = (isMention: boolean) => isWanted({ isMuted: false, notifyLevel }, isMention);
    expect([of(true), of(false)]).toEqual(wanted);
  });

  it("are reported as missing, not denied, in browsers without them", async () => {
    expect([notificationChoice(), await turnOnNotifications()]).toEqual(["missing", "missing"]);
  });

  it("survive a browser that needs a worker to show them and has none", async () => {
    let tries = 0;
    class Notification {
      static readonly permission = "granted";
      constructor() {
        tries += 1;
        throw new TypeError("Illegal constructor");
      }
    }
    vi.stubGlobal("Notification", Notification);
    vi.stubGlobal("navigator", {});
    vi.stubGlobal("localStorage", { getItem: () => "on" });
    const channel = { id: "c", type: "O", displayName: "Room", isMuted: false, notifyLevel: "all" };
    const post = { id: "p", message: "Hello" };
    await notify(post as Post, channel as Channel, "@bob", false, () => {});
    expect(tries).toBe(1);
  });

  it("name the pictures of a message without text", async () => {
    const bodies: unknown[] = [];
    class Notification {
      static readonly permission = "granted";
      constructor(_: string, { body }: NotificationOptions) {
        bodies.push(body);
      }
    }
    vi.stubGlobal("Notification", Notification);
    vi.stubGlobal("navigator", {});
    vi.stubGlobal("localStorage", { getItem: () => "on" });
    const channel = { id: "c", type: "O", displayName: "Room", isMuted: false, notifyLevel: "all" };
    const files = [{ id: "f", name: "hill.png", mimeType: "image/png", size: 1 }];
    await notify(
      { id: "p", message: "", metadata: { files } } as unknown as Post,
      channel as Channel,
      "@bob",
      false,
      () => {},
    );
    expect(bodies).toEqual(["Picture: hill.png"]);
  });

  it("are not shown for a muted channel", () => {
    expect(isWanted({ isMuted: true, notifyLevel: "all" }, true)).toBe(false);
  });
});
