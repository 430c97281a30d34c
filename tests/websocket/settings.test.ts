import { expect, test } from "vitest";
import { startChatWorld } from "../harness/start-chat-world.ts";
import { type GatewayOptions, startGateway } from "../harness/start-gateway.ts";
import { type RecordingProxy, startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { type Client, openWebsocket, soon } from "./open-websocket.ts";

test("Mattermost's settings are read again when it tells a connected client of a change", async () => {
  let setting = "always_on";
  let client: Client | undefined;
  let front: RecordingProxy | undefined;
  const world = await startChatWorld({
    start: async (options: GatewayOptions) => {
      front = await startRecordingProxy(options.settings?.CHAT_BASE_URL ?? "");
      front.treat(({ path }) =>
        path.startsWith("/config/client")
          ? { status: 200, text: JSON.stringify({ CollapsedThreads: setting }) }
          : "pass",
      );
      return startGateway({ ...options, settings: { ...options.settings, CHAT_BASE_URL: front.url } });
    },
  });
  try {
    const reader = await world.newcomer();
    const isCollapsed = async () => (await reader.api("GET", "/threads")).body.isCollapsed;
    client = await openWebsocket(world.gateway.url, `?token=${reader.pat}`);
    expect(await isCollapsed()).toBe(true);
    setting = "disabled";
    // Any change will do, here of one that is taken back at once.
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
    await front?.close();
  }
});
