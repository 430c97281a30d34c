import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractMattermost, startContractMattermost } from "../harness/contract-mattermost.ts";
import { request, requestBootstrap } from "../harness/start-chat.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/start-gateway-process.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { openWebsocket } from "./open-websocket.ts";

describe("processes that share a store", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "hivegate-logout-"));
  let chain: SandboxChain;
  let mattermost: ContractMattermost;
  let one: GatewayProcess;
  let two: GatewayProcess;
  /** A gateway whose machine's clock is eight days ahead. */
  let ahead: GatewayProcess;

  beforeAll(async () => {
    chain = await startSandboxChain();
    mattermost = await startContractMattermost();
    const settings = {
      CHAT_BASE_URL: mattermost.baseUrl,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
      HIVE_NODES: chain.url,
      HIVE_CHAIN_ID: chain.chainId,
      DATA_DIR: dataDir,
    };
    const start = (clockAheadMs = 0) => startGatewayProcess({ settings, clockAheadMs });
    [one, two, ahead] = await Promise.all([start(), start(), start(8 * 86_400_000)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close(), ahead.close()]);
    await mattermost.close();
    await chain.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const enter = async (gateway: GatewayProcess, name: string) => {
    const { status, body } = await requestBootstrap(gateway.url, name);
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${body.token}` };
    return { headers, client: await openWebsocket(gateway.url, "", { headers }) };
  };
  const leave = async (gateway: GatewayProcess, headers: Record<string, string>) => {
    const { status } = await request("POST", `${gateway.url}/api/chat/logout`, undefined, headers);
    expect(status).toBe(200);
  };
  const loggedOut = { code: 1008, reason: "logged out" };

  test("close only the websockets of a user who logs out in another process, and only once", async () => {
    const [alice, bob, carol] = [
      await enter(two, "alice"),
      await enter(two, "bob"),
      await enter(two, "carol"),
    ];
    await leave(one, alice.headers);
    expect(await alice.client.closed).toEqual(loggedOut);
    const again = await enter(two, "alice");
    // Once carol's logout has arrived, alice's has been read once more.
    await leave(one, carol.headers);
    expect(await carol.client.closed).toEqual(loggedOut);
    for (const { socket } of [bob.client, again.client]) {
      expect(socket.readyState).toBe(socket.OPEN);
      socket.close();
    }
  });

  test("close a user's websockets everywhere on logout even if one clock is days ahead", async () => {
    const [alice, bob] = [await enter(two, "alice"), await enter(two, "bob")];
    const elsewhere = await openWebsocket(ahead.url, "", { headers: alice.headers });
    await leave(one, alice.headers);
    await leave(ahead, bob.headers);
    expect(await elsewhere.closed).toEqual(loggedOut);
    expect(await alice.client.closed).toEqual(loggedOut);
    expect(await bob.client.closed).toEqual(loggedOut);
  });

  test("close a token's websockets, and no others, when another process learns of its revocation", async () => {
    const [alice, bob] = [await enter(two, "alice"), await enter(two, "bob")];
    const statusOf = async () =>
      (await request("GET", `${one.url}/api/chat/me`, undefined, alice.headers)).status;
    expect(await statusOf()).toBe(200);
    const admin = { authorization: `Bearer ${mattermost.adminToken}` };
    const ask = (method: string, path: string, body?: unknown, headers = admin) =>
      request(method, `${mattermost.baseUrl}${path}`, body, headers);
    const { body: user } = await ask("GET", "/users/me", undefined, alice.headers);
    const { body: tokens } = await ask("GET", `/users/${user.id}/tokens?per_page=200`);
    for (const { id } of tokens as unknown as Array<{ id: string }>)
      await ask("POST", "/users/tokens/revoke", { token_id: id });
    expect(await statusOf()).toBe(401);
    expect(await alice.client.closed).toEqual({ code: 1008, reason: "token refused" });
    expect(bob.client.socket.readyState).toBe(bob.client.socket.OPEN);
    bob.client.socket.close();
  });

  test("keep the websocket of a user who logged out earlier and signed in again", async () => {
    const first = await enter(one, "alice");
    await leave(one, first.headers);
    const again = await enter(one, "alice");
    const [elsewhere, carol] = [
      await openWebsocket(ahead.url, "", { headers: again.headers }),
      await enter(one, "carol"),
    ];
    const watched = await openWebsocket(ahead.url, "", { headers: carol.headers });
    await leave(one, carol.headers);
    expect(await watched.closed).toEqual(loggedOut);
    for (const { socket } of [again.client, elsewhere]) {
      expect(socket.readyState).toBe(socket.OPEN);
      socket.close();
    }
  });
});
