import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type MattermostOptions, startMattermost } from "../../../sandbox/mattermost/start.ts";
import { call } from "../../contract/mattermost/support/call.ts";
import {
  type Listener,
  type ListenOptions,
  openListener,
} from "../../contract/mattermost/support/listener.ts";
import { soon } from "../../harness/soon.ts";

/** Opens a sandbox Mattermost for one test, with its admin, one plain user, and a channel with both in it. */
export async function openWorld(options: Partial<MattermostOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "websocket-"));
  const mattermost = await startMattermost({ port: 0, dataDir, ...options });
  onTestFinished(async () => {
    await mattermost.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { url: baseUrl, adminToken, adminId, teamId } = mattermost;
  const ask = async (token: string, method: string, path: string, body?: unknown) =>
    (await call(baseUrl, token, method, path, body)).body;

  const user = await ask(adminToken, "POST", "/users", {
    username: "bob",
    email: "bob@example.com",
    password: "Aa1!aaaaaaaaaa",
  });
  await ask(adminToken, "POST", `/teams/${teamId}/members`, { team_id: teamId, user_id: user.id });
  const { token } = await ask(adminToken, "POST", `/users/${user.id}/tokens`, { description: "test" });
  const named = { team_id: teamId, name: "room", display_name: "Room", type: "O" };
  const channel = await ask(adminToken, "POST", "/channels", named);
  await ask(adminToken, "POST", `/channels/${channel.id}/members`, { user_id: user.id });

  const listen = (listenOptions: ListenOptions = {}): Promise<Listener> =>
    openListener(baseUrl, { token, ...listenOptions });
  return {
    mattermost,
    baseUrl,
    admin: { id: adminId, token: adminToken },
    bob: { id: user.id as string, token: token as string },
    channelId: channel.id as string,
    ask,
    listen,
    post: (message: string) => ask(adminToken, "POST", "/posts", { channel_id: channel.id, message }),
    type: () =>
      ask(adminToken, "POST", `/users/${adminId}/typing`, { channel_id: channel.id, parent_id: "" }),
    status: async () => (await ask(adminToken, "GET", `/users/${user.id}/status`)).status as string,
    /** Opens a socket that resumes where `id` stopped. */
    resume: (id: string, sequence: number) =>
      listen({ query: `?connection_id=${id}&sequence_number=${sequence}` }),
    /** Closes the socket and waits until the server has noticed. */
    async drop(listener: Listener) {
      listener.socket.terminate();
      await listener.closed;
      const isOffline = async () =>
        expect((await ask(adminToken, "GET", `/users/${user.id}/status`)).status).toBe("offline");
      await soon(isOffline);
    },
  };
}

/** Returns the messages of the posts that the listener received. */
export function messages(listener: Listener): string[] {
  return listener.events("posted").map((frame) => JSON.parse(frame.data.post).message);
}
