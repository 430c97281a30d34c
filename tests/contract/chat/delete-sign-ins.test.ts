import { afterAll, describe, expect, it } from "vitest";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { startChatWorld } from "../../harness/start-chat-world.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const world = await startChatWorld();
afterAll(() => world.close());

const now = () => Math.floor(Date.now() / 1000);
const api = (token: string, method: string, path: string) =>
  request<{ signIns: Array<{ id: string; isCurrent: boolean }> }>(
    method,
    `${world.gateway.url}/api/chat${path}`,
    undefined,
    { authorization: `Bearer ${token}` },
  );
const statusOf = async (token: string) => (await api(token, "GET", "/me")).status;
/** An account on two devices, each with the access token that it keeps. */
async function enterTwice() {
  const { name } = await world.newcomer();
  const devices = [];
  for (const secondsAgo of [20, 10]) {
    const accessToken = formAccessToken(name, { timestamp: now() - secondsAgo });
    const { body } = await requestBootstrap(world.gateway.url, name, { accessToken });
    devices.push({ accessToken, token: body.token });
  }
  const [lost, kept] = devices;
  if (!lost || !kept) throw new Error("two devices");
  return { name, lost, kept };
}

describe("DELETE /sign-ins", () => {
  it("ends all others: their tokens, their websockets, and the access tokens that made them", async () => {
    const { name, lost, kept } = await enterTwice();
    const [open, own] = [
      await openWebsocket(world.gateway.url, `?token=${lost.token}`),
      await openWebsocket(world.gateway.url, `?token=${kept.token}`),
    ];
    expect((await api(kept.token, "DELETE", "/sign-ins")).status).toBe(200);
    expect((await open.closed).code).toBe(1008);
    expect([await statusOf(lost.token), await statusOf(kept.token)]).toEqual([401, 200]);
    expect(own.socket.readyState).toBe(own.socket.OPEN);
    own.socket.close();
    const again = await requestBootstrap(world.gateway.url, name, { accessToken: lost.accessToken });
    expect([again.status, again.body.code]).toEqual([401, "unauthorized"]);
    expect((await api(kept.token, "GET", "/sign-ins")).body.signIns).toMatchObject([{ isCurrent: true }]);
  });

  it("ends one by its id, and leaves the others", async () => {
    const { name, lost, kept } = await enterTwice();
    const { signIns } = (await api(lost.token, "GET", "/sign-ins")).body;
    const id = signIns.find(({ isCurrent }) => isCurrent)?.id;
    expect((await api(kept.token, "DELETE", `/sign-ins/${id}`)).status).toBe(200);
    expect([await statusOf(lost.token), await statusOf(kept.token)]).toEqual([401, 200]);
    expect((await api(kept.token, "DELETE", `/sign-ins/${id}`)).status).toBe(404);
    const fresh = await requestBootstrap(world.gateway.url, name, {
      accessToken: formAccessToken(name, { timestamp: now() - 1 }),
    });
    expect(fresh.status).toBe(200);
  });

  it("answers 404 for a sign-in of somebody else, and ends nothing", async () => {
    const [one, other] = [await enterTwice(), await enterTwice()];
    const { signIns } = (await api(one.kept.token, "GET", "/sign-ins")).body;
    for (const { id } of signIns)
      expect((await api(other.kept.token, "DELETE", `/sign-ins/${id}`)).status).toBe(404);
    expect(await statusOf(one.lost.token)).toBe(200);
  });
});
