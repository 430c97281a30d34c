import { describe, expect, it } from "vitest";
import {
  type CallOptions,
  type ChatClient,
  createChatClient,
  type WebSocketConstructor,
  type WebSocketLike,
} from "../../lib/chat-client/index.ts";
import { operations } from "../../lib/contract/operations.ts";
import { recordCalls } from "../harness/record-calls.ts";
import { methodsOf } from "./support/methods-of.ts";

const baseUrl = "https://chat.example.com";
const id = "a".repeat(26);
const picture = new Blob(["x"], { type: "image/png" });
const other = "/api/health/live";
const message = JSON.stringify({
  signed_message: { type: "login", app: "chat.example.com" },
  authors: ["alice"],
  timestamp: 1_767_225_600,
});
const asked = { message, expiresAt: "2026-01-01T00:05:00.000Z" };

/** Returns every call of a client by its method's name. Paging calls request the first page. */
const callsOf = (client: ChatClient, given: CallOptions = {}): Record<string, () => Promise<unknown>> => {
  const { auth, channels, files, pictures, posts, previews, threads, users } = client;
  return {
    request: () => client.request(other, given),
    me: () => client.me(given),
    "signIns.list": () => client.signIns.list(given),
    "signIns.end": () => client.signIns.end(id, given),
    "signIns.endOthers": () => client.signIns.endOthers(given),
    "auth.challenge": () => auth.challenge("alice", given),
    "auth.login": () => auth.login({ username: "alice", message: "m", signature: "s" }, given),
    "auth.askWallet": () => auth.askWallet("alice", given),
    "auth.waitForWallet": () => auth.waitForWallet({ ...asked, id: "i", secret: "s" }, given),
    "auth.refresh": () => auth.refresh(undefined, given),
    "auth.session": () => auth.session(given),
    "auth.logout": () => auth.logout(given),
    "channels.list": () => channels.list(given),
    "channels.unreads": () => channels.unreads(given),
    "channels.search": () => channels.search("town", given),
    "channels.browse": () => channels.browse({ q: "town", ...given }),
    "channels.browseAll": () => channels.browseAll({ q: "town", ...given }).next(),
    "channels.members": () => channels.members(id, { perPage: 5, ...given }),
    "channels.allMembers": () => channels.allMembers(id, given).next(),
    "channels.pinned": () => channels.pinned(id, given),
    "channels.join": () => channels.join(id, given),
    "channels.leave": () => channels.leave(id, given),
    "channels.setFavorite": () => channels.setFavorite(id, { favorite: true, ...given }),
    "channels.setMuted": () => channels.setMuted(id, { mute: true, ...given }),
    "channels.setNotify": () => channels.setNotify(id, "mention", given),
    "channels.markViewed": () => channels.markViewed(id, given),
    "posts.page": () => posts.page(id, { before: id, perPage: 5, ...given }),
    "posts.history": () => posts.history(id, given).next(),
    "posts.create": () => posts.create(id, { message: "m", pendingPostId: `${id}:1700000000000` }, given),
    "posts.edit": () => posts.edit(id, id, "m", given),
    "posts.remove": () => posts.remove(id, id, given),
    "posts.react": () => posts.react(id, id, "tada", { add: true, ...given }),
    "posts.pin": () => posts.pin(id, id, { pin: true, ...given }),
    "posts.markUnread": () => posts.markUnread(id, id, given),
    "posts.translate": () => posts.translate(id, id, "es", given),
    "posts.search": () => posts.search("word", given),
    "posts.searchAll": () => posts.searchAll("word", given).next(),
    "posts.mentions": () => posts.mentions(given),
    "posts.allMentions": () => posts.allMentions(given).next(),
    "threads.list": () => threads.list(given),
    "threads.all": () => threads.all(given).next(),
    "threads.markRead": () => threads.markRead(id, 1, given),
    "threads.markAllRead": () => threads.markAllRead(given),
    "threads.setFollowed": () => threads.setFollowed(id, { follow: true, ...given }),
    "users.search": () => users.search("bob", given),
    "users.readImage": () => users.readImage(id, given),
    "users.openDirect": () => users.openDirect("bob", given),
    "files.upload": () => files.upload(id, picture, { name: "a b.png", ...given }),
    "files.read": () => files.read(id, given),
    "pictures.upload": () => pictures.upload(id, picture, { name: "valley.png", ...given }),
    "pictures.read": () => pictures.read("https://images.hive.blog/p/valley.png", given),
    "previews.read": () => previews.read("https://peakd.com/@alice/a-walk", given),
    signIn: () => client.signIn({ as: { username: "alice", accessToken: "t" }, ...given }),
    signOut: () => client.signOut(given),
  };
};
/** Methods that answer immediately or over the connection. */
const withoutCall = [
  "files.url",
  "pictures.url",
  "users.imageUrl",
  "users.presence",
  "sendActive",
  "sendTyping",
  "connect",
  "reconnect",
  "disconnect",
  "on",
];

/** Operations that a wallet and its owner call. */
const ofWallets = [
  "/api/auth/hivesigner",
  "/api/auth/wallet/{id}",
  "/api/auth/wallet/{id}/code",
  "/api/auth/wallet/{id}/end",
];

describe("the methods of the chat client", () => {
  const inert = createChatClient({ baseUrl, token: id });

  it("exist for every chat and login operation of the contract", async () => {
    const { calls, fetch } = recordCalls(() =>
      Response.json({
        ...{ token: id, posts: [], channels: [], users: [], threads: [], members: [], signIns: [] },
        ...{ state: "signed_in", message },
      }),
    );
    const opened: string[] = [];
    const WebSocket = function open(this: WebSocketLike, address: string) {
      opened.push(address);
      this.close = () => undefined;
    } as unknown as WebSocketConstructor;
    const client = createChatClient({ baseUrl, token: id, fetch, WebSocket });
    client.connect();
    await expect.poll(() => opened).toHaveLength(1);
    client.disconnect();
    for (const call of Object.values(callsOf(client))) await call();
    const upload = calls.find(({ address }) => address.includes("/files?"));
    expect(upload).toMatchObject({
      address: `${baseUrl}/api/chat/channels/${id}/files?name=a%20b.png`,
      init: { body: picture, headers: { "content-type": "image/png" } },
    });
    const handshakes = opened.map((address) => ({ address, init: { method: "GET" } }));
    const asked = [...calls, ...handshakes].map(({ address, init }) => {
      const { pathname } = new URL(address);
      const template = pathname
        .replace(`/channels/${id}`, "/channels/{channelId}")
        .replace(`/files/${id}`, "/files/{fileId}")
        .replace(`/users/${id}`, "/users/{userId}")
        .replace(`/posts/${id}`, "/posts/{postId}")
        .replace(`/threads/${id}`, "/threads/{threadId}")
        .replace(`/sign-ins/${id}`, "/sign-ins/{signInId}")
        .replace("/wallet/i/", "/wallet/{id}/");
      return `${init.method?.toLowerCase()} ${template}`;
    });
    const wanted = Object.entries(operations)
      .filter(([path]) => /^\/api\/(chat|auth)\//.test(path) && !ofWallets.includes(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect([...new Set(asked)].filter((operation) => !operation.endsWith(other)).sort()).toEqual(
      wanted.sort(),
    );
  });

  it("have a case in this file", () => {
    expect([...Object.keys(callsOf(inert)), ...withoutCall].sort()).toEqual(methodsOf(inert).sort());
  });

  it.each(Object.keys(callsOf(inert)))(
    "%s rejects when its caller's signal aborts, before or during the call",
    async (name) => {
      const reason = new Error("enough");
      const { calls, fetch } = recordCalls();
      const early = createChatClient({ baseUrl, token: id, fetch });
      const call = callsOf(early, { signal: AbortSignal.abort(reason) })[name];
      await expect(call?.()).rejects.toBe(reason);
      expect(calls).toEqual([]);

      const controller = new AbortController();
      const stuck = createChatClient({
        baseUrl,
        token: id,
        fetch: (_address, { signal }) =>
          new Promise((_resolve, reject) => {
            // Rejects as in React Native, whose signals carry no reason.
            signal?.addEventListener("abort", () => reject(new Error("Aborted")));
            controller.abort(reason);
          }),
      });
      await expect(callsOf(stuck, { signal: controller.signal })[name]?.()).rejects.toBe(reason);
    },
  );
});
