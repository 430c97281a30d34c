import { afterAll, describe, expect, it } from "vitest";
import { endUnprovenTokens } from "#lib/chat/session/end-tokens.ts";
import { formAccessToken, postingKey } from "../../harness/form-access-token.ts";
import { soon } from "../../harness/soon.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { startChatWorld } from "../../harness/start-chat-world.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const world = await startChatWorld({ chainNodes: 2 });
afterAll(() => world.close());

const newKey = postingKey("somebody new");
const dropOldKey = (name: string) =>
  world.chain.setAccount({
    name,
    posting: {
      weight_threshold: 1,
      account_auths: [],
      key_auths: [[newKey.createPublic("STM").toString(), 1]],
    },
  });
const statusOf = async (token: string) =>
  (await request("GET", `${world.gateway.url}/api/chat/me`, undefined, { authorization: `Bearer ${token}` }))
    .status;

describe("a token", () => {
  it("ends with the posting key that its sign-in was proven by, once the account signs in with another", async () => {
    const { name, pat: thiefs } = await world.newcomer();
    const open = await openWebsocket(world.gateway.url, `?token=${thiefs}`);
    await dropOldKey(name);
    const accessToken = formAccessToken(name, { key: newKey });
    const { status, body } = await requestBootstrap(world.gateway.url, name, { accessToken });
    expect(status).toBe(200);
    expect(body.token).not.toBe(thiefs);
    expect((await open.closed).code).toBe(1008);
    expect([await statusOf(thiefs), await statusOf(body.token)]).toEqual([401, 200]);
  });

  it("ends within a minute when the chain shows another key, though nobody signs in, sockets too", async () => {
    const [gone, stays] = [await world.newcomer(), await world.newcomer()];
    const open = await openWebsocket(world.gateway.url, `?token=${gone.pat}`);
    const other = await openWebsocket(world.gateway.url, `?token=${stays.pat}`);
    await dropOldKey(gone.name);
    await soon(async () => expect(await statusOf(gone.pat)).toBe(401));
    expect((await open.closed).code).toBe(1008);
    expect([await statusOf(stays.pat), other.socket.readyState]).toEqual([200, other.socket.OPEN]);
    other.socket.close();
  }, 60_000);

  it("ends when its user becomes a system admin, whose socket hears of it", async () => {
    const { id, pat } = await world.newcomer();
    const open = await openWebsocket(world.gateway.url, `?token=${pat}`);
    await soon(() => expect(open.messages).not.toHaveLength(0));
    await world.admin("PUT", `/users/${id}/roles`, { roles: "system_user system_admin" });
    expect((await open.closed).code).toBe(1008);
    expect(await statusOf(pat)).toBe(401);
    await world.admin("PUT", `/users/${id}/roles`, { roles: "system_user" });
  });

  it("ends when its user becomes a system admin, within a minute of use without a socket", async () => {
    const { id, pat } = await world.newcomer();
    expect(await statusOf(pat)).toBe(200);
    await world.admin("PUT", `/users/${id}/roles`, { roles: "system_user system_admin" });
    await soon(async () => expect(await statusOf(pat)).toBe(401));
    await world.admin("PUT", `/users/${id}/roles`, { roles: "system_user" });
  }, 60_000);

  it("stays while the chain can't tell, or one node alone shows another key", async () => {
    const { id, name, pat } = await world.newcomer();
    const owner = { id, username: name, key: postingKey(name).createPublic("STM").toString() };
    const look = () => endUnprovenTokens(world.gateway.services.chat, [owner]);
    const before = await world.chain.call("database_api.find_accounts", { accounts: [name] });
    await dropOldKey(name);
    await world.chain.setFault({ kind: "lie", method: "database_api.find_accounts", result: before }, 0);
    await look();
    expect(await statusOf(pat)).toBe(200);
    await world.chain.clearFaults(0);
    for (const node of [0, 1]) await world.chain.setFault({ kind: "cut", method: "*" }, node);
    await look();
    expect(await statusOf(pat)).toBe(200);
    for (const node of [0, 1]) await world.chain.clearFaults(node);
    await look();
    expect(await statusOf(pat)).toBe(401);
  });
});
