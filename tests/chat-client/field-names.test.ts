import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { WebSocket } from "ws";
import { camelCased } from "../../lib/chat-client/camel-cased.ts";
import {
  type ChatClient,
  type ChatEventName,
  type ChatEvents,
  createChatClient,
} from "../../lib/chat-client/index.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { createAuthClient } from "../harness/auth-client.ts";
import { formAccessToken, postingKey, signText } from "../harness/form-access-token.ts";
import { soon } from "../harness/soon.ts";
import { type ChatWorld, type Person, startChatWorld } from "../harness/start-chat-world.ts";
import { startImageHost } from "../harness/start-image-host.ts";
import { type PictureServer, pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { startTranslator } from "../harness/start-translator.ts";
import { unique } from "../harness/unique.ts";
import { methodsOf } from "./support/methods-of.ts";

/**
 * Returns the paths of fields whose names contain an underscore, except for those within a post's `props`.
 */
function snakeCaseIn(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = Array.isArray(value) ? `${path}[]` : `${path}.${name}`;
    if (name === "props") return [];
    return [...(/[a-z]_[a-z]/.test(name) ? [here] : []), ...snakeCaseIn(inner, here)];
  });
}

/** The names of all fields within a type that contain an underscore, except for those within `props`. */
type SnakeCaseIn<T> = T extends readonly (infer Item)[]
  ? SnakeCaseIn<Item>
  : T extends Blob | string
    ? never
    : T extends object
      ? { [K in keyof T]-?: K extends "props" ? never : NameIn<K> | SnakeCaseIn<T[K]> }[keyof T]
      : never;
type NameIn<K> = K extends `${string}_${string}` ? K : never;

type Answer<M> = M extends (...given: never[]) => AsyncGenerator<infer Item>
  ? Item
  : M extends (...given: never[]) => infer Given
    ? Awaited<Given>
    : { [Name in keyof M]: Answer<M[Name]> };

type Payloads = ChatEvents[Exclude<ChatEventName, "frame" | "error">];

/**
 * Methods without an answer, and methods that return a raw answer, an address, or the owner of the cookie.
 */
const withoutFields = [
  ...["auth.session", "auth.logout", "request", "files.url", "pictures.url", "users.imageUrl"],
  ...["sendActive", "sendTyping", "connect", "reconnect", "disconnect", "on"],
];

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** Returns the lists in an answer, which show no field names if they are empty. */
const listsIn = (answer: unknown): unknown[][] => {
  const { posts, threads, members, channels } = (answer ?? {}) as Record<string, unknown>;
  return [answer, posts, threads, members, channels].filter((value) => Array.isArray(value));
};

const shop = sandboxAccounts.find(({ name }) => name === "shop")?.keys.posting;

describe("the fields that the chat client returns", () => {
  let outside: PictureServer;
  let images: Awaited<ReturnType<typeof startImageHost>>;
  let translator: Awaited<ReturnType<typeof startTranslator>>;
  let world: ChatWorld;
  let alice: Person & { channelId: string };
  let bob: Person;
  let chat: ChatClient;
  const events: Array<[name: ChatEventName, event: unknown]> = [];

  beforeAll(async () => {
    outside = await startPictureServer();
    outside.serveBytes("/picture.png", pngOf("outside"), { "content-type": "image/png" });
    outside.serveBytes("/page", "<title>A page</title>", { "content-type": "text/html" });
    images = await startImageHost({ keys: { shop: shop?.publicKey ?? "" } });
    translator = await startTranslator();
    world = await startChatWorld({
      settings: {
        TRANSLATE_URL: translator.url,
        IMAGE_UPLOAD_URL: images.url,
        IMAGE_UPLOAD_ACCOUNT: "shop",
        IMAGE_UPLOAD_KEY: shop?.privateKey ?? "",
        OUTSIDE_PRIVATE_HOSTS: `${outside.host},${images.host}`,
      },
    });
    alice = await world.login("alice", "hive-100001");
    bob = await world.login("bob", "hive-100001");
    chat = createChatClient({ baseUrl: world.gateway.url, token: alice.pat, WebSocket });
    const names = [
      ...(["posted", "post_edited", "post_deleted", "reaction_added", "reaction_removed", "typing"] as const),
      ...(["status_change", "user_updated", "channels_viewed", "user_added", "user_removed"] as const),
      ...(["channels_changed", "threads_changed", "leave_team", "state", "gap", "resumed"] as const),
    ];
    for (const name of names) chat.on(name, (event) => events.push([name, event]));
    const isOpen = new Promise<void>((resolve) => void chat.on("gap", () => resolve()));
    chat.connect();
    await isOpen;
  });
  afterAll(async () => {
    chat.disconnect();
    await world.close();
    await Promise.all([outside.close(), images.close(), translator.close()]);
  });

  /**
   * Creates a channel with a mention of alice, and with a thread of hers that has a picture, a reaction and a
   * reply.
   */
  const fillChannel = async () => {
    const room = await world.makeChannel([alice, bob], { display_name: unique("Field Room ") });
    const picture = new Blob([new Uint8Array(pngOf("valley"))], { type: "image/png" });
    const file = await chat.files.upload(room, picture, { name: "valley.png" });
    const root = await chat.posts.create(room, { message: "good morning", fileIds: [file.id] });
    const word = unique("lookout");
    const mention = await bob.post(room, `${word}, @alice, at ~town-square`);
    await chat.posts.react(room, root.id, "tada");
    await chat.posts.pin(room, root.id);
    const reply = await bob.post(room, "an answer", root.id);
    return { room, picture, file, root, word, mention, reply };
  };

  it("are in camelCase in the answer of every method", async () => {
    const { room, picture, file, root, word, mention, reply } = await fillChannel();
    const { channels, posts, threads, users, auth, signIns } = chat;
    const { message } = await auth.challenge("alice");
    const proof = { username: "alice", message, signature: signText(message, postingKey("alice")) };
    const tokens = await auth.login(proof);
    const asked = await auth.askWallet("alice");
    await createAuthClient(() => world.gateway.url).signByWallet(asked);
    const presence = await users.presence([alice.id, bob.id]);
    const answers: Record<string, unknown> = {
      "auth.challenge": await auth.challenge("alice"),
      "auth.login": tokens,
      "auth.askWallet": asked,
      "auth.waitForWallet": await auth.waitForWallet(asked),
      "auth.refresh": await auth.refresh(tokens.refreshToken),
      me: await chat.me(),
      "signIns.list": await signIns.list(),
      "channels.list": await channels.list(),
      "channels.unreads": await channels.unreads(),
      "channels.search": await channels.search("town"),
      "channels.browse": await channels.browse(),
      "channels.browseAll": await collect(channels.browseAll()),
      "channels.members": await channels.members(room),
      "channels.allMembers": await collect(channels.allMembers(room)),
      "channels.pinned": await channels.pinned(room),
      "posts.page": await posts.page(room),
      "posts.history": await collect(posts.history(room)),
      "posts.create": await posts.create(room, { message: "and now" }),
      "posts.edit": await posts.edit(room, root.id, "good evening"),
      "posts.translate": await posts.translate(room, root.id, "es"),
      "posts.search": await posts.search(word),
      "posts.searchAll": await collect(posts.searchAll(word)),
      "posts.mentions": await posts.mentions(),
      "posts.allMentions": await collect(posts.allMentions()),
      "threads.list": await threads.list(),
      "threads.all": await collect(threads.all()),
      "users.search": await users.search("bob"),
      "users.presence": presence,
      "files.upload": file,
      "pictures.upload": await chat.pictures.upload(alice.channelId, picture, { name: "valley.png" }),
      "previews.read": await chat.previews.read(`${outside.url}/page`),
      // The answers of these calls have no fields, or the calls end what the others need.
      "channels.setFavorite": await channels.setFavorite(room, { favorite: true }),
      "channels.setMuted": await channels.setMuted(room, { mute: true }),
      "channels.setNotify": await channels.setNotify(room, "mention"),
      "channels.markViewed": await channels.markViewed(room),
      "posts.react": await posts.react(room, root.id, "tada", { add: false }),
      "posts.pin": await posts.pin(room, root.id, { pin: false }),
      "posts.markUnread": await posts.markUnread(room, mention.id),
      "threads.markRead": await threads.markRead(root.id, reply.create_at),
      "threads.markAllRead": await threads.markAllRead(),
      "threads.setFollowed": await threads.setFollowed(root.id, { follow: false }),
      "users.openDirect": await users.openDirect("bob"),
      "users.readImage": await users.readImage(bob.id),
      "files.read": await chat.files.read(file.id),
      "pictures.read": await chat.pictures.read(`${outside.url}/picture.png`),
      "posts.remove": await posts.remove(room, root.id),
      "channels.leave": await channels.leave(room),
      "channels.join": await channels.join(room),
      ...(await endSignIns()),
    };
    expect([...Object.keys(answers), ...withoutFields].sort()).toEqual(methodsOf(chat).sort());
    expect(
      Object.entries(answers).filter(([, answer]) => listsIn(answer).some((list) => list.length === 0)),
    ).toEqual([]);
    const found = Object.entries(answers).flatMap(([name, answer]) => snakeCaseIn(answer, name));
    expect([...new Set(found)]).toEqual([]);
    expect(answers["posts.page"]).toMatchObject({
      channel: { displayName: expect.stringContaining("Field Room") },
      member: { lastViewedAt: expect.any(Number) },
      posts: expect.arrayContaining([
        expect.objectContaining({ rootId: root.id, createAt: expect.any(Number) }),
      ]),
    });
  });

  /** Signs in another account twice, and ends its sign-ins. */
  const endSignIns = async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const login = { username: name, accessToken: formAccessToken(name) };
    const client = createChatClient({ baseUrl: world.gateway.url, login: async () => login });
    const signIn = await client.signIn();
    const earlier = formAccessToken(name, { secondsAgo: 60 });
    await client.signIn({ as: { ...login, accessToken: earlier } });
    const [, other] = await client.signIns.list();
    return {
      signIn,
      "signIns.end": await client.signIns.end(other?.id ?? ""),
      "signIns.endOthers": await client.signIns.endOthers(),
      signOut: await client.signOut(),
    };
  };

  it("are in camelCase in the events about posts, reactions, users and threads", async () => {
    events.length = 0;
    const { room, root, mention } = await fillChannel();
    await bob.api("PATCH", `/channels/${room}/posts/${mention.id}`, { message: "changed words" });
    await chat.posts.react(room, root.id, "tada", { add: false });
    await bob.api("DELETE", `/channels/${room}/posts/${mention.id}`);
    await bob.mattermost("PUT", "/users/me/patch", { first_name: unique("Bob ") });
    const names = ["posted", "post_edited", "post_deleted", "reaction_added", "reaction_removed"] as const;
    for (const name of [...names, "user_updated", "user_added", "threads_changed"] as const)
      await soon(() => expect(events.map(([seen]) => seen)).toContain(name));
    const found = events.flatMap(([name, event]) => snakeCaseIn(event, name));
    expect([...new Set(found)]).toEqual([]);
    expect(events).toContainEqual([
      "posted",
      expect.objectContaining({ post: expect.objectContaining({ channelId: room, rootId: root.id }) }),
    ]);
  });

  it("are in camelCase in the types of answers and events", () => {
    expectTypeOf<SnakeCaseIn<Answer<Omit<ChatClient, "request" | "on">>>>().toBeNever();
    expectTypeOf<SnakeCaseIn<Payloads>>().toBeNever();
    // The type does find such a name, so the checks above can fail.
    expectTypeOf<
      SnakeCaseIn<{ list: Array<{ user_id?: string; props: { free_name: 1 } }> }>
    >().toEqualTypeOf<"user_id">();
  });

  it("are converted around a post's props and addresses, which stay unchanged", () => {
    const post = {
      props: { channel_mentions: { town_square: { display_name: "Town" } } },
      metadata: {
        images: { "https://a.example/b_c.png": { frame_count: 1 } },
        emojis: [{ creator_id: "a" }],
      },
    };
    expect(camelCased(post)).toEqual({
      props: post.props,
      metadata: { images: { "https://a.example/b_c.png": { frameCount: 1 } }, emojis: [{ creatorId: "a" }] },
    });
  });

  it("omit `__proto__`, which would set a prototype", () => {
    const read = camelCased(JSON.parse('{"__proto__":{"is_admin":true},"user_id":"a"}'));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(JSON.stringify(read)).toBe('{"userId":"a"}');
  });
});
