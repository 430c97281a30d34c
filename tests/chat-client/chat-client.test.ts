import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import {
  type ChatClient,
  type ChatClientOptions,
  ChatError,
  createChatClient,
  type Login,
} from "../../lib/chat-client/index.ts";
import { isOutsideMattermost } from "../harness/contract-mattermost.ts";
import { formAccessToken } from "../harness/form-access-token.ts";
import { holdTimers } from "../harness/hold-time.ts";
import { soon } from "../harness/soon.ts";
import { type ChatWorld, type Person, startChatWorld } from "../harness/start-chat-world.ts";
import { unique } from "../harness/unique.ts";

/** The sockets of the clients under test, which tests cut, and a function that rewrites their addresses. */
const sockets: WebSocket[] = [];
let rewrite = (url: string) => url;
class CutableSocket extends WebSocket {
  constructor(url: string) {
    super(rewrite(url));
    sockets.push(this);
  }
}

describe("the chat client", () => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  const clients: ChatClient[] = [];

  const clientOf = (options: Partial<ChatClientOptions> = {}) => {
    const client = createChatClient({
      baseUrl: world.gateway.url,
      WebSocket: CutableSocket,
      ...options,
    });
    clients.push(client);
    return client;
  };
  const loginOf = (username: string) =>
    vi.fn(async (): Promise<Login> => ({ username, accessToken: formAccessToken(username) }));
  /** Opens the connection and waits for its first `gap`, which follows `hello`. */
  const connect = async (client: ChatClient) => {
    const opened = new Promise<void>((resolve) => {
      const stop = client.on("gap", () => {
        stop();
        resolve();
      });
    });
    client.connect();
    await opened;
  };
  const collectPosts = (client: ChatClient) => {
    const messages: string[] = [];
    client.on("posted", ({ post }) => {
      // Mattermost reports with a delay who was added to a channel.
      if (post.type === "") messages.push(post.message);
    });
    return messages;
  };

  beforeAll(async () => {
    world = await startChatWorld();
    alice = await world.login("alice");
    bob = await world.login("bob");
  });
  afterAll(() => world.close());
  afterEach(() => {
    rewrite = (url) => url;
    for (const client of clients.splice(0)) client.disconnect();
    sockets.length = 0;
  });

  it("signs in once for simultaneous calls, and reports the token", async () => {
    const login = loginOf("alice");
    const onToken = vi.fn();
    const client = clientOf({ login, onToken });
    const [{ user }, channels] = await Promise.all([client.me(), client.channels.list()]);
    expect(user.username).toBe("alice");
    expect(channels).toBeInstanceOf(Array);
    expect(login).toHaveBeenCalledTimes(1);
    expect(onToken).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^[a-z0-9]{26}$/));
  });

  it("signs in again when its token is refused, and repeats the call", async () => {
    const login = loginOf("bob");
    const client = clientOf({ token: "z".repeat(26), login });
    expect((await client.me()).user.id).toBe(bob.id);
    expect(login).toHaveBeenCalledTimes(1);
  });

  it("reports a refused token if it has no login", async () => {
    await expect(clientOf({ token: "z".repeat(26) }).me()).rejects.toMatchObject({
      name: "ChatError",
      code: "unauthorized",
      status: 401,
      requestId: expect.any(String),
    });
  });

  it("refuses options without a way to sign in", () => {
    expect(() => createChatClient({ baseUrl: world.gateway.url })).toThrow(TypeError);
    expect(() =>
      createChatClient({ baseUrl: world.gateway.url, carrier: "cookie", token: "z".repeat(26) }),
    ).toThrow(TypeError);
  });

  it("calls the main routes of channels, posts and people", async () => {
    const client = clientOf({ token: alice.pat });
    const channelId = await world.makeChannel([alice, bob], { display_name: unique("Client Room ") });
    await client.channels.setFavorite(channelId, { favorite: true });
    await client.channels.setMuted(channelId, { mute: true });
    await client.channels.setNotify(channelId, "none");
    const entry = (await client.channels.list()).find(({ id }) => id === channelId);
    expect(entry).toMatchObject({ isFavorite: true, isMuted: true, notifyLevel: "none" });
    expect((await client.channels.search(entry?.displayName ?? "")).map(({ id }) => id)).toEqual([channelId]);
    await client.channels.markViewed(channelId);
    expect((await client.channels.unreads()).channels.map(({ channelId: id }) => id)).toContain(channelId);

    const root = await client.posts.create(channelId, { message: unique("root ") });
    const reply = await client.posts.create(channelId, { message: "a reply", rootId: root.id });
    expect(reply.rootId).toBe(root.id);
    const words = unique("edited");
    expect(await client.posts.edit(channelId, root.id, words)).toMatchObject({ message: words });
    await client.posts.react(channelId, root.id, "thumbsup");
    const thread = await client.posts.page(channelId, { thread: root.id });
    expect(thread.posts.map(({ id }) => id)).toEqual([root.id, reply.id]);
    expect(thread.posts[0]?.metadata?.reactions).toMatchObject([{ userId: alice.id, emojiName: "thumbsup" }]);
    expect((await client.posts.search(words)).posts.map(({ id }) => id)).toEqual([root.id]);
    await client.posts.remove(channelId, reply.id);
    expect((await client.posts.page(channelId, { thread: root.id })).posts).toHaveLength(1);

    expect(await client.users.openDirect("bob")).toMatch(/^[a-z0-9]{26}$/);
    expect((await client.users.search("bob")).map(({ id }) => id)).toContain(bob.id);
    expect((await fetch(client.users.imageUrl(bob.id, 1))).headers.get("content-type")).toMatch(/^image\//);
    await client.channels.leave(channelId);
    await client.channels.join(channelId);
  });

  it("aborts only the call whose signal is aborted", async () => {
    const client = clientOf({ login: loginOf("alice") });
    const controller = new AbortController();
    const ended = client.channels.list({ signal: controller.signal });
    const other = client.me();
    controller.abort(new Error("enough"));
    await expect(ended).rejects.toThrow("enough");
    expect((await other).user.id).toBe(alice.id);
  });

  it("distinguishes a missing resource from an unreachable server", async () => {
    const client = clientOf({ token: alice.pat });
    await expect(client.channels.join("z".repeat(26))).rejects.toMatchObject({
      code: "not_found",
      status: 404,
    });
    const nobody = clientOf({ token: alice.pat, baseUrl: "http://127.0.0.1:9" });
    const failure = await nobody.me().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ChatError);
    expect(failure).toMatchObject({ code: "offline", status: 0 });
  });

  it("emits parsed messages, mentions, reactions and typing", async () => {
    const client = clientOf({ token: alice.pat });
    const channelId = await world.makeChannel([alice, bob]);
    const other = clientOf({ token: bob.pat });
    await Promise.all([connect(client), connect(other)]);
    const told: unknown[] = [];
    client.on("posted", (event) =>
      told.push(["posted", event.post.message, event.mentions, event.senderName]),
    );
    client.on("reaction_added", ({ reaction }) => told.push(["reaction", reaction.emojiName]));
    client.on("typing", (event) => told.push(["typing", event]));
    const post = await other.posts.create(channelId, { message: "hello @alice" });
    await soon(() => expect(told).toContainEqual(["posted", "hello @alice", [alice.id], "@bob"]));
    await other.posts.react(channelId, post.id, "tada");
    await soon(() => expect(told).toContainEqual(["reaction", "tada"]));
    other.sendTyping(channelId);
    const typing = { userId: bob.id, channelId, rootId: "" };
    await soon(() => expect(told).toContainEqual(["typing", typing]));
  });

  it("isolates listeners from each other's errors", async () => {
    const client = clientOf({ token: alice.pat });
    const channelId = await world.makeChannel([alice]);
    const faults: unknown[] = [];
    client.on("error", (error) => faults.push(error));
    client.on("posted", ({ post }) => {
      if (post.type === "") throw new Error("a bug of the app");
    });
    const messages = collectPosts(client);
    await connect(client);
    await alice.post(channelId, "for everybody");
    await soon(() => expect(messages).toEqual(["for everybody"]));
    expect(faults).toMatchObject([{ message: "a bug of the app" }]);
  });

  it("reports a returned user as active again when Mattermost marks them as offline", async () => {
    const client = clientOf({ token: alice.pat });
    const told: string[] = [];
    client.on("status_change", ({ status }) => {
      told.push(status);
      if (status === "offline") client.sendActive({ isActive: true });
    });
    await connect(client);
    // The embedded Mattermost records a departure only when the test says so, after the client has returned.
    const departures = holdTimers(500);
    onTestFinished(departures.release);
    // Limit of a single try: the client leaves again afterwards, and `soon` decides when to give up.
    const tryMs = 2000;
    await soon(async () => {
      client.disconnect();
      // Otherwise the server might not notice that the client was gone.
      if (!isOutsideMattermost()) await expect.poll(departures.count).toBeGreaterThan(0);
      await connect(client);
      departures.end();
      // With an outside Mattermost, the client may return before its departure is noticed, or after it is
      // recorded. It then leaves again.
      await expect.poll(() => told, { timeout: tryMs }).toContain("offline");
    });
    await expect.poll(() => told.at(-1)).toBe("online");
    expect(await client.users.presence([alice.id])).toEqual({ [alice.id]: "online" });
  });

  it("reads presence over the connection, and rejects as offline without one", async () => {
    const client = clientOf({ token: alice.pat });
    const other = clientOf({ token: bob.pat });
    await expect(client.users.presence([bob.id])).rejects.toMatchObject({ code: "offline" });
    await Promise.all([connect(client), connect(other)]);
    await soon(async () => expect(await client.users.presence([bob.id])).toEqual({ [bob.id]: "online" }));
  });

  it("resumes after a cut, so that missed messages arrive once and without a gap", async () => {
    const client = clientOf({ token: alice.pat });
    const channelId = await world.makeChannel([alice, bob]);
    const messages = collectPosts(client);
    const states: string[] = [];
    await connect(client);
    await bob.post(channelId, "before");
    await soon(() => expect(messages).toEqual(["before"]));
    let gaps = 0;
    client.on("gap", () => gaps++);
    client.on("state", (state) => states.push(state));
    sockets[0]?.terminate();
    await soon(() => expect(states).toContain("waiting"));
    await bob.post(channelId, "meanwhile");
    await soon(() => expect(messages).toEqual(["before", "meanwhile"]));
    await bob.post(channelId, "after");
    await soon(() => expect(messages).toEqual(["before", "meanwhile", "after"]));
    expect(gaps).toBe(0);
  });

  it("emits a gap if Mattermost no longer knows its connection, and continues", async () => {
    const client = clientOf({ token: alice.pat });
    const channelId = await world.makeChannel([alice, bob]);
    const messages = collectPosts(client);
    await connect(client);
    let gaps = 0;
    client.on("gap", () => gaps++);
    rewrite = (url) => url.replace(/connection_id=\w+/, `connection_id=${"y".repeat(26)}`);
    sockets[0]?.terminate();
    await soon(() => expect(gaps).toBe(1));
    await bob.post(channelId, "on the new one");
    await soon(() => expect(messages).toEqual(["on the new one"]));
  });

  it("gets a new token if the websocket refuses the current one", async () => {
    const client = clientOf({ token: "z".repeat(26), login: loginOf("alice") });
    await connect(client);
    expect((await client.me()).user.id).toBe(alice.id);
  });

  it("gives up the websocket if its token is refused and it has no login", async () => {
    const client = clientOf({ token: "z".repeat(26) });
    const states: string[] = [];
    const faults: unknown[] = [];
    client.on("state", (state) => states.push(state));
    client.on("error", (error) => faults.push(error));
    client.connect();
    await soon(() => expect(states.at(-1)).toBe("closed"));
    expect(faults).toMatchObject([{ code: "unauthorized" }]);
  });

  it("signs out, which revokes its token and ends its connection", async () => {
    const login = loginOf("alice");
    const tokens: string[] = [];
    const client = clientOf({ login, onToken: (token) => tokens.push(token) });
    const states: string[] = [];
    client.on("state", (state) => states.push(state));
    await connect(client);
    await client.signOut();
    expect(states.at(-1)).toBe("closed");
    await expect(clientOf({ token: tokens[0] ?? "" }).me()).rejects.toMatchObject({ code: "unauthorized" });
    alice = await world.login("alice");
  });
});
