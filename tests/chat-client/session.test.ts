import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ChatError, createChatClient, createChatSession, type Fetch } from "../../lib/chat-client/index.ts";
import { formAccessToken } from "../harness/form-access-token.ts";
import { recordCalls } from "../harness/record-calls.ts";
import { type ChatWorld, startChatWorld } from "../harness/start-chat-world.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { unique } from "../harness/unique.ts";

const baseUrl = "https://chat.example.com";
const id = "a".repeat(26);

describe("the chat client's calls", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("end a sign-in once no caller is waiting for it", async () => {
    const { fetch } = recordCalls();
    const signals: AbortSignal[] = [];
    const login = ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
    };
    const client = createChatClient({ baseUrl, login, fetch });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => client.me({ signal }).catch((error: unknown) => error));
    first.abort(new Error("first"));
    expect(await calls[0]).toMatchObject({ message: "first" });
    expect(signals).toEqual([expect.objectContaining({ aborted: false })]);
    second.abort(new Error("second"));
    expect(await calls[1]).toMatchObject({ message: "second" });
    expect(signals[0]?.reason).toMatchObject({ message: "second" });
    void client.me().catch(() => undefined);
    expect(signals).toHaveLength(2);
  });

  it("reach the gateway's other routes without the token", async () => {
    const { calls, fetch } = recordCalls(() => Response.json({ articles: [] }));
    const client = createChatClient({ baseUrl: `${baseUrl}/`, token: id, fetch });
    expect(await client.request("/api/demo/articles", { query: { q: "a b&c", page: undefined } })).toEqual({
      articles: [],
    });
    expect(calls[0]?.address).toBe(`${baseUrl}/api/demo/articles?q=a%20b%26c`);
    expect(calls[0]?.init.headers).toEqual({});
  });

  it("send the page's cookies and no token with the carrier cookie", async () => {
    const { calls, fetch } = recordCalls();
    await createChatClient({ baseUrl, carrier: "cookie", fetch }).me();
    expect(calls[0]?.init).toMatchObject({ credentials: "same-origin", headers: {} });
  });

  it("work without URL, AbortSignal.any and signal reasons, as in React Native", async () => {
    // The answer is created in advance, because Node's answers need the removed globals.
    const answer = Response.json({ users: [] });
    const { calls, fetch } = recordCalls(() => answer);
    vi.stubGlobal("URL", undefined);
    vi.stubGlobal("URLSearchParams", undefined);
    vi.stubGlobal("AbortSignal", class {});
    const client = createChatClient({ baseUrl, token: id, fetch });
    await client.users.search("ü");
    expect(calls[0]?.address).toBe(`${baseUrl}/api/chat/users/search?q=%C3%BC`);
    expect(client.users.imageUrl(id, 7)).toBe(`${baseUrl}/api/chat/users/${id}/image?v=7`);
    const signal = { aborted: true, addEventListener: () => {}, removeEventListener: () => {} };
    const aborted = createChatClient({
      baseUrl,
      login: { username: "alice", sign: () => "" },
      fetch: () => new Promise(() => {}),
    });
    await expect(aborted.me({ signal: signal as unknown as AbortSignal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("omit credentials if a request can't have them, as in a Worker", async () => {
    vi.stubGlobal(
      "Request",
      class {
        constructor() {
          throw new Error("The 'credentials' field is not implemented.");
        }
      },
    );
    const { calls, fetch } = recordCalls();
    await createChatClient({ baseUrl, token: id, fetch }).me();
    expect(calls[0]?.init).not.toHaveProperty("credentials");
  });

  it.each([
    [413, "payload_too_large"],
    [429, "rate_limited"],
    [502, "backend_unreachable"],
    [503, "backend_unreachable"],
    [504, "backend_unreachable"],
  ])("report a proxy's page with status %i as the code %s", async (status, code) => {
    const { fetch } = recordCalls(() => new Response("<html>", { status, headers: { "retry-after": "7" } }));
    await expect(createChatClient({ baseUrl, token: id, fetch }).me()).rejects.toMatchObject({
      ...{ code, status, retryAfterSeconds: 7 },
      message: expect.not.stringContaining("html"),
    });
  });

  it.each([
    ["a proxy's page", () => new Response("<html>", { status: 403 }), 403],
    ["a successful answer that is not JSON", () => new Response("<html>"), 200],
  ])("report %s as unreadable", async (_what, answer, status) => {
    const { fetch } = recordCalls(answer);
    await expect(createChatClient({ baseUrl, token: id, fetch }).me()).rejects.toMatchObject({
      code: "unreadable",
      status,
    });
  });

  it("time out if they are not answered within their limit", async () => {
    const fetch: Fetch = (_address, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const client = createChatClient({ baseUrl, token: id, fetch, timeoutMs: 1 });
    await expect(client.me()).rejects.toMatchObject({
      code: "offline",
      cause: { message: "The server did not answer in time." },
    });
  });

  it.each(["chat.example.com", "ftp://chat.example.com", "https://"])(
    "refuse %s as an address",
    (address) => {
      expect(() => createChatClient({ baseUrl: address, token: id })).toThrow(TypeError);
    },
  );
});

describe("the chat client's session", () => {
  let world: ChatWorld;
  beforeAll(async () => {
    world = await startChatWorld();
  });
  afterAll(() => world.close());

  it("is shared by its clients, which sign in once", async () => {
    const login = vi.fn(async () => ({ username: "alice", accessToken: formAccessToken("alice") }));
    const session = createChatSession({ baseUrl: world.gateway.url, login });
    const [first, second] = [createChatClient({ session }), createChatClient({ session })];
    const [{ user }] = await Promise.all([first.me(), second.channels.list()]);
    expect(user.username).toBe("alice");
    expect(login).toHaveBeenCalledTimes(1);
  });

  it("signs in another account on request, and continues calls as that account", async () => {
    const login = async () => ({ username: "alice", accessToken: formAccessToken("alice") });
    const client = createChatClient({ baseUrl: world.gateway.url, login });
    expect((await client.me()).user.username).toBe("alice");
    await client.signIn({ as: { username: "bob", accessToken: formAccessToken("bob") } });
    expect((await client.me()).user.username).toBe("bob");
  });

  it("reports the invalid part of a request", async () => {
    const { pat } = await world.login("alice");
    const client = createChatClient({ baseUrl: world.gateway.url, token: pat });
    const failure = await client.posts.page(id, { perPage: 1_000 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ChatError);
    expect(failure).toMatchObject({ code: "invalid_request", issues: [{ path: "per_page" }] });
  });

  it("reads a file's bytes with its token, or with a new one after a refusal", async () => {
    const login = async () => ({ username: "alice", accessToken: formAccessToken("alice") });
    const client = createChatClient({ baseUrl: world.gateway.url, login });
    const channelId = await world.makeChannel([await world.login("alice")], { type: "P" });
    const bytes = new Uint8Array(pngOf("valley"));
    const { id: fileId } = await client.files.upload(channelId, new Blob([bytes], { type: "image/png" }), {
      name: "valley.png",
    });
    await client.posts.create(channelId, { message: "", fileIds: [fileId] });
    const refused = createChatClient({ baseUrl: world.gateway.url, token: "x".repeat(26), login });
    const file = await refused.files.read(fileId);
    expect(file.type).toBe("image/png");
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await refused.files.read(fileId, { size: "thumbnail" })).type).toMatch(/^image\//);
    const stranger = createChatClient({ baseUrl: world.gateway.url, token: (await world.login("bob")).pat });
    await expect(stranger.files.read(fileId)).rejects.toMatchObject({ code: "not_found", status: 404 });
  });

  it("pages through everything that a search finds", async () => {
    const alice = await world.login("alice");
    const client = createChatClient({ baseUrl: world.gateway.url, token: alice.pat });
    const channelId = await world.makeChannel([alice]);
    const word = unique("needle");
    for (let number = 0; number < 5; number++) await alice.post(channelId, `${word} ${number}`);
    const found: string[] = [];
    for await (const { message } of client.posts.searchAll(word, { perPage: 2 })) found.push(message);
    expect(found).toEqual([4, 3, 2, 1, 0].map((number) => `${word} ${number}`));
  });

  it("creates one post for repeated requests with the same pending id", async () => {
    const alice = await world.login("alice");
    const client = createChatClient({ baseUrl: world.gateway.url, token: alice.pat });
    const channelId = await world.makeChannel([alice]);
    const post = { message: "once", pendingPostId: `${alice.id}:${Date.now()}` };
    const [first, second] = [
      await client.posts.create(channelId, post),
      await client.posts.create(channelId, post),
    ];
    expect(second.id).toBe(first.id);
  });

  it("signs out successfully even if its token was already revoked", async () => {
    const { pat } = await world.login("carol");
    const client = createChatClient({ baseUrl: world.gateway.url, token: pat });
    await createChatClient({ baseUrl: world.gateway.url, token: pat }).signOut();
    await expect(client.signOut()).resolves.toBeUndefined();
  });
});

describe("a sign-in by the account's key", () => {
  const sign = vi.fn((_message: string) => "1f".padEnd(130, "5"));
  afterEach(() => sign.mockClear());
  const challenge = (change: Record<string, unknown> = {}, inner: Record<string, unknown> = {}) =>
    JSON.stringify({
      signed_message: { type: "login", app: "chat.example.com", nonce: "n", ...inner },
      authors: ["alice"],
      timestamp: 1_800_000_000,
      ...change,
    });
  const signIn = (message: string, address = baseUrl, host?: string) => {
    const fetch: Fetch = async (asked) =>
      asked.endsWith("/challenge")
        ? Response.json({ message, expiresAt: "2027-01-15T08:05:00.000Z" })
        : Response.json({ error: "enough", code: "unauthorized" }, { status: 401 });
    const login = { username: "alice", sign, ...(host !== undefined && { host }) };
    return createChatClient({ baseUrl: address, login, fetch }).signIn();
  };

  it.each([
    ["the challenge of another site", challenge({}, { app: "other.example.com" })],
    ["an access token", challenge({}, { type: "code" })],
    ["another account's challenge", challenge({ authors: ["bob"] })],
    ["a challenge for two accounts", challenge({ authors: ["alice", "bob"] })],
    ["a challenge with a repeated key", challenge().replace('"type":', '"type":"code","type":')],
    ["a challenge without a site", challenge({}, { app: undefined })],
    ["a transaction", JSON.stringify({ operations: [["transfer", {}]] })],
    ["text other than JSON", "sign me"],
  ])("signs nothing if the server sends %s", async (_what, message) => {
    await expect(signIn(message)).rejects.toMatchObject({ code: "unreadable" });
    expect(sign).not.toHaveBeenCalled();
  });

  it.each([
    ["https://chat.example.com", "chat.example.com", undefined],
    ["https://Chat.Example.com:443/", "chat.example.com", undefined],
    ["http://127.0.0.1:3000", "localhost:3001", undefined],
    ["http://gateway.internal:3000", "chat.example.com", "chat.example.com"],
  ])("at %s signs the challenge from %s (host option: %s)", async (address, app, host) => {
    await expect(signIn(challenge({}, { app }), address, host)).rejects.toMatchObject({
      code: "unauthorized",
    });
    expect(sign).toHaveBeenCalledTimes(1);
  });
});
