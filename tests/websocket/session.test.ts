import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type ContractMattermost,
  flavoursToTry,
  startContractMattermost,
} from "../harness/contract-mattermost.ts";
import { soon } from "../harness/soon.ts";
import { request, requestBootstrap } from "../harness/start-chat.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { type Client, openWebsocket } from "./open-websocket.ts";

type Event = {
  event?: string;
  seq?: number;
  seq_reply?: number;
  data: Record<string, string>;
  broadcast: object;
};
type Person = { id: string; pat: string; channelId: string };

describe.each(flavoursToTry())("a websocket through the gateway to a %s Mattermost", (flavour) => {
  let chain: SandboxChain;
  let mattermost: ContractMattermost;
  let gateway: Gateway;
  let alice: Person;
  let bob: Person;
  let socket: Client;

  const login = async (name: string): Promise<Person> => {
    const { body } = await requestBootstrap(gateway.url, name, { community: "hive-100001" });
    return { id: body.userId, pat: body.token, channelId: body.channelId ?? "" };
  };
  const call = (person: Person, method: string, path: string, body?: unknown) =>
    request(method, `${gateway.url}/api/chat${path}`, body, { authorization: `Bearer ${person.pat}` });
  const connect = (person: Person, query = "") => openWebsocket(gateway.url, `?token=${person.pat}${query}`);
  const eventOf = (client: Client, name: string, matches: (event: Event) => boolean = () => true) =>
    soon(() => {
      const found = (client.messages as Event[]).find((each) => each.event === name && matches(each));
      if (!found) throw new Error(`no ${name} came`);
      return found;
    });
  const post = async (person: Person, message: string) => {
    const { body } = await call(person, "POST", `/channels/${person.channelId}/posts`, { message });
    return body.post as { id: string };
  };

  beforeAll(async () => {
    chain = await startSandboxChain();
    mattermost = await startContractMattermost(flavour);
    gateway = await startGateway({
      settings: {
        CHAT_BASE_URL: mattermost.baseUrl,
        CHAT_ADMIN_TOKEN: mattermost.adminToken,
        CHAT_TEAM_ID: mattermost.teamId,
        HIVE_NODES: chain.url,
        HIVE_CHAIN_ID: chain.chainId,
      },
    });
  });
  beforeEach(async () => {
    [alice, bob] = await Promise.all([login("alice"), login("bob")]);
    socket = await connect(bob);
  });
  afterEach(() => socket.socket.terminate());

  afterAll(async () => {
    await gateway.close();
    await mattermost.close();
    await chain.close();
  });

  test("begins with hello, which names the connection", async () => {
    const hello = await eventOf(socket, "hello");
    expect((socket.messages as Event[])[0]).toBe(hello);
    expect(hello.seq).toBe(0);
    expect(hello.data).toEqual({
      connection_id: expect.stringMatching(/^[a-z0-9]{26}$/),
      server_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  test("delivers another user's post as posted, with the post as a JSON string", async () => {
    const { id } = await post(alice, "hello bob");
    const event = await eventOf(socket, "posted", ({ data }) => data.post?.includes(id) ?? false);
    expect(JSON.parse(event.data.post ?? "")).toMatchObject({
      id,
      message: "hello bob",
      channel_id: alice.channelId,
      root_id: "",
    });
    expect(event.data).toMatchObject({
      sender_name: "@alice",
      channel_type: "O",
      team_id: mattermost.teamId,
    });
    expect(event.broadcast).toMatchObject({ channel_id: alice.channelId });
  });

  test("delivers edits, reactions and deletions", async () => {
    const { id } = await post(alice, "first");
    const path = `/channels/${alice.channelId}/posts/${id}`;
    const isOf = ({ data }: Event) => JSON.stringify(data).includes(id);
    await call(alice, "PATCH", path, { message: "second" });
    expect((await eventOf(socket, "post_edited", isOf)).data.post).toContain("second");
    await call(alice, "POST", `${path}/reactions`, { emoji: "thumbsup", add: true });
    expect((await eventOf(socket, "reaction_added", isOf)).data.reaction).toContain(alice.id);
    await call(alice, "POST", `${path}/reactions`, { emoji: "thumbsup", add: false });
    await eventOf(socket, "reaction_removed", isOf);
    await call(alice, "DELETE", path);
    const deleted = JSON.parse((await eventOf(socket, "post_deleted", isOf)).data.post ?? "");
    expect(deleted).toMatchObject({ id, channel_id: alice.channelId, user_id: alice.id, message: "" });
  });

  test("delivers a changed profile as user_updated", async () => {
    const nickname = `Ali ${Date.now()}`;
    const headers = { authorization: `Bearer ${alice.pat}` };
    const { status } = await request(
      "PUT",
      `${mattermost.baseUrl}/users/${alice.id}/patch`,
      { nickname },
      headers,
    );
    expect(status).toBe(200);
    const { data } = await eventOf(socket, "user_updated", (event) =>
      JSON.stringify(event.data.user).includes(nickname),
    );
    expect(data.user).toMatchObject({ id: alice.id, username: "alice", nickname });
    for (const field of ["email", "roles", "props", "notify_props", "timezone", "position", "auth_data"])
      expect(data.user).not.toHaveProperty(field);
  });

  test("passes the client's frames: typing reaches others, and each frame gets its reply", async () => {
    const other = await connect(alice);
    const data = { channel_id: alice.channelId, parent_id: "" };
    other.socket.send(JSON.stringify({ seq: 1, action: "user_typing", data }));
    const typing = await eventOf(socket, "typing");
    expect(typing.data).toMatchObject({ user_id: alice.id, parent_id: "" });
    await soon(() => expect(other.messages).toContainEqual(expect.objectContaining({ seq_reply: 1 })));
    other.socket.close();
  });

  test("hides the reply to the gateway's challenge", async () => {
    const client = await connect(alice);
    for (const seq of [1, 2]) client.socket.send(JSON.stringify({ seq, action: "ping" }));
    const replies = () => (client.messages as Event[]).filter(({ seq_reply }) => seq_reply !== undefined);
    await soon(() => expect(replies()).toHaveLength(2));
    expect(replies().map(({ seq_reply }) => seq_reply)).toEqual([1, 2]);
    const seqs = (client.messages as Event[]).flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
    expect(seqs).toEqual(seqs.map((_, index) => index));
    client.socket.close();
  });

  test("resumes after a lost connection, without a gap or a second hello", async () => {
    const first = await connect(bob);
    const { data } = await eventOf(first, "hello");
    const { id: seenId } = await post(alice, "before");
    await eventOf(first, "posted", (event) => event.data.post?.includes(seenId) ?? false);
    const last = Math.max(...(first.messages as Event[]).map(({ seq = 0 }) => seq));
    first.socket.terminate();
    await first.closed;
    const { id: missedId } = await post(alice, "meanwhile");
    const second = await soon(async () => {
      const client = await connect(bob, `&connection_id=${data.connection_id}&sequence_number=${last + 1}`);
      const { id } = await post(alice, "after");
      await eventOf(client, "posted", (event) => event.data.post?.includes(id) ?? false);
      // Mattermost may not have noticed the loss yet. Then it starts a new connection, and the client tries
      // again.
      if ((client.messages as Event[])[0]?.event === "hello") throw new Error("not resumed");
      return client;
    });
    const posts = (second.messages as Event[]).filter(({ event }) => event === "posted");
    expect(JSON.parse(posts[0]?.data.post ?? "")).toMatchObject({ id: missedId });
    second.socket.close();
  });

  test("returns 401 for a token that was never issued", async () => {
    await expect(openWebsocket(gateway.url, `?token=${"z".repeat(26)}`)).rejects.toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
  });

  test("returns 401 for an empty token, whatever the cookie says", async () => {
    const headers = { cookie: `chat_pat=${bob.pat}`, origin: gateway.url };
    await expect(openWebsocket(gateway.url, "?token=", { headers })).rejects.toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
    (await openWebsocket(gateway.url, "", { headers })).socket.close();
  });

  test("ends with logout, after which the token gets 401", async () => {
    const client = await connect(bob);
    expect((await call(bob, "POST", "/logout")).status).toBe(200);
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    await expect(connect(bob)).rejects.toMatchObject({ status: 401, body: { code: "unauthorized" } });
  });

  test("opens for Mattermost's client, despite the second question mark that it adds", async () => {
    const { pat } = await login("bob");
    const client = await openWebsocket(gateway.url, `?token=${pat}?connection_id=&sequence_number=0`);
    await eventOf(client, "hello");
    client.socket.close();
    await client.closed;
  });

  test("is cut when the gateway learns that its token was revoked elsewhere, unlike those of other tokens", async () => {
    const [person, other] = [await login("carol"), await connect(await login("bob"))];
    const revoked = await connect(person);
    await eventOf(revoked, "hello");
    const admin = { authorization: `Bearer ${mattermost.adminToken}` };
    const ask = (method: string, path: string, body?: unknown) =>
      request(method, `${mattermost.baseUrl}${path}`, body, admin);
    const { body: tokens } = await ask("GET", `/users/${person.id}/tokens?per_page=200`);
    for (const { id } of tokens as unknown as Array<{ id: string }>)
      await ask("POST", "/users/tokens/revoke", { token_id: id });
    expect((await call(person, "GET", "/me")).status).toBe(401);
    expect((await revoked.closed).code).toBe(1008);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    other.socket.close();
    await other.closed;
  });
});
