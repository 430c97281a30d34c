import { expect, test, vi } from "vitest";
import { soon } from "../harness/soon.ts";
import { type AnyBody, startChatWorld } from "../harness/start-chat-world.ts";
import { type GatewayOptions, startGateway } from "../harness/start-gateway.ts";
import { type RecordingProxy, startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { type Client, openWebsocket } from "./open-websocket.ts";

/** Starts a gateway whose Mattermost returns the thread setting of `setting`. */
async function startWorldWith(setting: () => string) {
  let front: RecordingProxy | undefined;
  const world = await startChatWorld({
    start: async (options: GatewayOptions) => {
      front = await startRecordingProxy(options.settings?.CHAT_BASE_URL ?? "");
      front.treat(({ path }) =>
        path.startsWith("/config/client")
          ? { status: 200, text: JSON.stringify({ CollapsedThreads: setting() }) }
          : "pass",
      );
      return startGateway({ ...options, settings: { ...options.settings, CHAT_BASE_URL: front.url } });
    },
  });
  const close = async () => {
    await world.close();
    await front?.close();
  };
  return { ...world, close };
}

test("Mattermost's settings are read again when it reports a change to a connected client", async () => {
  let setting = "always_on";
  let client: Client | undefined;
  const world = await startWorldWith(() => setting);
  try {
    const reader = await world.newcomer();
    const isCollapsed = async () => (await reader.api("GET", "/threads")).body.isCollapsed;
    client = await openWebsocket(world.gateway.url, `?token=${reader.pat}`);
    expect(await isCollapsed()).toBe(true);
    setting = "disabled";
    // Any change will do; this one is reverted immediately.
    const { TeamSettings } = await world.admin<{ TeamSettings: { EnableOpenServer: boolean } }>(
      "GET",
      "/config",
    );
    const isOpen = TeamSettings.EnableOpenServer;
    for (const EnableOpenServer of [!isOpen, isOpen])
      await world.admin("PUT", "/config/patch", { TeamSettings: { EnableOpenServer } });
    await soon(async () => expect(await isCollapsed()).toBe(false));
  } finally {
    client?.socket.close();
    await client?.closed;
    await world.close();
  }
});

test("Mattermost's settings are read again after a minute when no client is connected", async () => {
  let setting = "always_on";
  const world = await startWorldWith(() => setting);
  try {
    const reader = await world.newcomer();
    const isCollapsed = async () => (await reader.api("GET", "/threads")).body.isCollapsed;
    expect(await isCollapsed()).toBe(true);
    setting = "disabled";
    expect(await isCollapsed()).toBe(true);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    expect(await isCollapsed()).toBe(false);
  } finally {
    vi.restoreAllMocks();
    await world.close();
  }
});

test("Mattermost's settings are read again after an answer that contradicts them, even when no client is connected", async () => {
  let setting = "default_on";
  const world = await startWorldWith(() => setting);
  try {
    const [writer, reader] = [await world.newcomer(), await world.newcomer()];
    const channelId = await world.makeChannel([writer, reader]);
    await writer.post(channelId, "a reply", (await reader.post(channelId, "a root")).id);
    const count = async () => {
      const { channels } = (await reader.api("GET", "/channels/unreads")).body;
      return channels.find((channel: AnyBody) => channel.channelId === channelId).message_count;
    };
    expect(await count()).toBe(0);
    // Makes values that are cached for a while stay cached forever.
    const now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now);
    setting = "default_off";
    const { TeamSettings } = await world.admin<{ TeamSettings: { EnableOpenServer: boolean } }>(
      "GET",
      "/config",
    );
    await world.admin("PUT", "/config/patch", {
      TeamSettings: { EnableOpenServer: !TeamSettings.EnableOpenServer },
    });
    await soon(async () => expect(await count()).toBe(1));
    await world.admin("PUT", "/config/patch", { TeamSettings });
  } finally {
    vi.restoreAllMocks();
    await world.close();
  }
});

test("user preferences are read again on Mattermost's event, and always for the list of threads", async () => {
  let client: Client | undefined;
  const world = await startWorldWith(() => "default_on");
  try {
    const [writer, reader] = [await world.newcomer(), await world.newcomer()];
    const channelId = await world.makeChannel([writer, reader]);
    await writer.post(channelId, "a reply", (await reader.post(channelId, "a root")).id);
    /** Returns the channel's count of messages, which depends on whether threads are collapsed. */
    const count = async () => {
      const { channels } = (await reader.api("GET", "/channels/unreads")).body;
      return channels.find((channel: AnyBody) => channel.channelId === channelId).message_count;
    };
    const isCollapsed = async () => (await reader.api("GET", "/threads")).body.isCollapsed;
    const choice = { user_id: reader.id, category: "display_settings", name: "collapsed_reply_threads" };
    const choose = (value: string) =>
      reader.mattermost("PUT", "/users/me/preferences", [{ ...choice, value }]);

    expect([await count(), await isCollapsed()]).toEqual([0, true]);
    await choose("off");
    expect([await isCollapsed(), await count()]).toEqual([false, 1]);
    client = await openWebsocket(world.gateway.url, `?token=${reader.pat}`);
    const { messages } = client;
    const told = (name: string) =>
      soon(() => expect(messages).toContainEqual(expect.objectContaining({ event: name })));
    await choose("on");
    await told("preferences_changed");
    expect(await count()).toBe(0);
    await choose("off");
    expect(await isCollapsed()).toBe(false);
    await reader.mattermost("POST", "/users/me/preferences/delete", [{ ...choice, value: "off" }]);
    await told("preferences_deleted");
    expect(await count()).toBe(0);
  } finally {
    client?.socket.close();
    await client?.closed;
    await world.close();
  }
});
