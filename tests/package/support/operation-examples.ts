import type { operations } from "../../../lib/contract/operations.ts";
import { picturesIn } from "../../../lib/demo-shop/article-pictures.ts";
import { articles } from "../../../lib/demo-shop/articles.ts";
import type { Services } from "../../../lib/services/services.ts";
import { signPayment } from "../../../lib/x402/client/index.ts";
import { offerOf } from "../../harness/ask-paid.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, formSignInProof, postingKey, signText } from "../../harness/form-access-token.ts";
import { signPayment as signRequest } from "../../harness/sign-payment.ts";
import type { ChatWorld, Person } from "../../harness/start-chat-world.ts";
import type { Gateway } from "../../harness/start-gateway.ts";
import { type PictureServer, pngOf } from "../../harness/start-picture-server.ts";
import { wifOf } from "../../harness/start-shop.ts";
import { unique } from "../../harness/unique.ts";

type Paths = typeof operations;

/** The app at HiveSigner of the servers. */
export const hivesignerApp = "shop.app";

/** An operation of the contract, such as `POST /api/chat/channels/{channelId}/posts`. */
export type OperationName = {
  [Path in keyof Paths]: `${Uppercase<keyof Paths[Path] & string>} ${Path}`;
}[keyof Paths];

/** The world that the examples act on. */
export type Stage = {
  world: ChatWorld<Gateway>;
  alice: Person & { channelId: string };
  bob: Person & { channelId: string };
  /** A channel with alice and bob as members. */
  room: string;
  /** Another site's server, which has `/picture.png` and `/page`. */
  outside: PictureServer;
  /** The services of this process, under the settings that all servers share. */
  services: Services;
  metricsToken: string;
};

/** The parts of a request in addition to its method and path template. */
export type Given = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};

export type Example = {
  /** Creates the operation's objects, and returns its request. */
  prepare: (stage: Stage) => Given | Promise<Given>;
  /** The expected status, if not 200. */
  status?: number;
  /** True if the example must be prepared for each request, which is the default for everything but reads. */
  isOneTime?: boolean;
};

const asking = (person: Person, given: Given = {}): Given => ({
  ...given,
  headers: { authorization: `Bearer ${person.pat}`, ...given.headers },
});

/** Creates an example in which alice sends a request without preparation. */
const alices = (of: (stage: Stage) => Given = () => ({})): Example => ({
  prepare: (stage) => asking(stage.alice, of(stage)),
});
const inRoom = (given: Given = {}): Example =>
  alices(({ room }) => ({ ...given, params: { channelId: room } }));
/** Creates an example in which alice sends a request about her new post. */
const onPost = (given: Given = {}): Example => ({
  async prepare({ alice, room }) {
    const { id } = await alice.post(room, "good morning");
    return asking(alice, { ...given, params: { channelId: room, postId: id } });
  },
});
/** Creates an example in which alice sends a request about her new thread, to which bob has replied. */
const onThread = (of: (replyAt: number) => Given = () => ({})): Example => ({
  async prepare({ alice, bob, room }) {
    const { id } = await alice.post(room, "a question");
    const { create_at } = await bob.post(room, "an answer", id);
    return asking(alice, { ...of(create_at), params: { threadId: id } });
  },
});

const png = (type = "image/png") => ({ body: pngOf("valley"), headers: { "content-type": type } });

const upload = async ({ alice, room, world }: Stage): Promise<string> => {
  const { body, headers } = png();
  const response = await fetch(`${world.gateway.url}/api/chat/channels/${room}/files?name=valley.png`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${alice.pat}` },
    body: new Uint8Array(body),
  });
  return ((await response.json()) as { file: { id: string } }).file.id;
};

const sameSite = { "sec-fetch-site": "same-origin" };

const authOf = ({ world }: Stage) => createAuthClient(() => world.gateway.url);

const pay = async ({ chain }: ChatWorld<Gateway>, offered: Response) => {
  const purse = { account: "alice", activeKey: wifOf("alice"), nodes: [chain.url], chainId: chain.chainId };
  return { "x-payment": await signPayment({ ...purse, requirements: await offerOf(offered) }) };
};

const nobody: Example = { prepare: () => ({}) };

/** An example request for each operation of the contract. The type requires a line for each new operation. */
export const examples: Readonly<Record<OperationName, Example>> = {
  "POST /api/chat/bootstrap": {
    prepare: ({ alice }) => ({
      body: { username: alice.name, accessToken: formAccessToken(alice.name), community: "hive-100001" },
    }),
  },
  "POST /api/chat/logout": { prepare: async ({ world }) => asking(await world.newcomer()) },
  "GET /api/chat/sign-ins": alices(),
  "DELETE /api/chat/sign-ins": { prepare: async ({ world }) => asking(await world.newcomer()) },
  "DELETE /api/chat/sign-ins/{signInId}": {
    async prepare({ world }) {
      const person = await world.newcomer();
      const { body } = await person.api("GET", "/sign-ins");
      return asking(person, { params: { signInId: body.signIns[0].id } });
    },
  },
  "GET /api/chat/me": alices(),
  "GET /api/chat/channels/{channelId}/posts": inRoom(),
  "POST /api/chat/channels/{channelId}/posts": inRoom({ body: { message: "hello" } }),
  "PATCH /api/chat/channels/{channelId}/posts/{postId}": onPost({ body: { message: "changed" } }),
  "DELETE /api/chat/channels/{channelId}/posts/{postId}": onPost(),
  "POST /api/chat/channels/{channelId}/posts/{postId}/reactions": onPost({
    body: { emoji: "smile", add: true },
  }),
  "POST /api/chat/channels/{channelId}/posts/{postId}/pin": onPost({ body: { pin: true } }),
  "POST /api/chat/channels/{channelId}/posts/{postId}/unread": onPost(),
  "POST /api/chat/channels/{channelId}/posts/{postId}/translation": onPost({ body: { target: "es" } }),
  "GET /api/chat/threads": alices(),
  "POST /api/chat/threads/view": alices(),
  "POST /api/chat/threads/{threadId}/view": onThread((until) => ({ body: { until } })),
  "POST /api/chat/threads/{threadId}/follow": onThread(() => ({ body: { follow: false } })),
  "POST /api/chat/search/posts": alices(() => ({ body: { term: "to-be-found" } })),
  "POST /api/chat/direct": alices(({ bob }) => ({ body: { username: bob.name } })),
  "GET /api/chat/users/search": alices(() => ({ query: { q: "bo" } })),
  "GET /api/chat/users/{userId}/image": { prepare: ({ bob }) => ({ params: { userId: bob.id } }) },
  // Only `server.ts` has the websocket.
  "GET /api/chat/websocket": { ...alices(), status: 400 },
  "GET /api/chat/channels": alices(),
  "GET /api/chat/channels/unreads": alices(),
  "POST /api/chat/channels/search": alices(() => ({ body: { term: "town" } })),
  "GET /api/chat/channels/public": alices(),
  "GET /api/chat/channels/{channelId}/members": inRoom(),
  "GET /api/chat/channels/{channelId}/pinned": inRoom(),
  "POST /api/chat/channels/{channelId}/join": {
    async prepare({ world, alice, bob }) {
      const channelId = await world.makeChannel([bob], { display_name: "Open to all" });
      return asking(alice, { params: { channelId } });
    },
  },
  "POST /api/chat/channels/{channelId}/leave": {
    async prepare({ world, alice, bob }) {
      return asking(alice, { params: { channelId: await world.makeChannel([alice, bob]) } });
    },
  },
  "POST /api/chat/channels/{channelId}/favorite": inRoom({ body: { favorite: true } }),
  "POST /api/chat/channels/{channelId}/mute": inRoom({ body: { mute: false } }),
  "POST /api/chat/channels/{channelId}/view": inRoom(),
  "POST /api/chat/channels/{channelId}/files": inRoom({ ...png(), query: { name: "valley.png" } }),
  "POST /api/chat/channels/{channelId}/pictures": inRoom({ ...png(), query: { name: "valley.png" } }),
  "GET /api/chat/files/{fileId}": {
    async prepare(stage) {
      const fileId = await upload(stage);
      const { alice, room } = stage;
      await alice.api("POST", `/channels/${room}/posts`, { message: "a picture", fileIds: [fileId] });
      return asking(alice, { params: { fileId } });
    },
  },
  "GET /api/chat/pictures": alices(({ outside }) => ({ query: { url: `${outside.url}/picture.png` } })),
  "GET /api/demo/pictures": {
    prepare({ services, outside }) {
      const address = `${outside.url}/picture.png`;
      const path = picturesIn(services, `![a picture](${address})`)[address] ?? "";
      return { query: Object.fromEntries(new URL(path, outside.url).searchParams) };
    },
  },
  "GET /api/chat/previews": alices(({ outside }) => ({ query: { url: `${outside.url}/page` } })),
  "POST /api/auth/challenge": { prepare: () => ({ body: { username: "alice" } }) },
  "POST /api/auth/login": {
    async prepare(stage) {
      const message = await authOf(stage).challenge();
      return { body: { username: "alice", message, signature: signText(message, postingKey("alice")) } };
    },
  },
  "GET /api/auth/wallet/{id}": {
    async prepare(stage) {
      const { id, message } = await authOf(stage).askWallet();
      return { params: { id }, query: { signature: signText(message, postingKey("alice")) } };
    },
  },
  "POST /api/auth/wallet/{id}": {
    async prepare(stage) {
      const { id, message } = await authOf(stage).askWallet();
      return { params: { id }, body: { signature: signText(message, postingKey("alice")) } };
    },
  },
  "POST /api/auth/wallet/{id}/code": {
    async prepare(stage) {
      const { id } = await authOf(stage).askWallet();
      const audience = new URL(stage.services.config.publicUrl).origin;
      return { params: { id }, body: { code: formSignInProof("alice", { audience }) } };
    },
  },
  "GET /api/auth/hivesigner": {
    async prepare(stage) {
      const { id, cookie } = await authOf(stage).askWallet();
      const code = formAccessToken("alice", { app: hivesignerApp, timestamp: Math.floor(Date.now() / 1000) });
      return { query: { code, state: id, username: "alice", expires_in: "604800" }, headers: { cookie } };
    },
  },
  "POST /api/auth/wallet/{id}/session": {
    async prepare(stage) {
      const { askWallet, signByWallet } = authOf(stage);
      const asked = await askWallet();
      await signByWallet(asked);
      return { params: { id: asked.id }, body: { secret: asked.secret } };
    },
  },
  "POST /api/auth/wallet/{id}/end": {
    async prepare(stage) {
      const { askWallet, signByWallet } = authOf(stage);
      const asked = await askWallet();
      const { body } = await signByWallet(asked);
      return { params: { id: asked.id }, body: { endToken: body.endToken } };
    },
  },
  "POST /api/auth/refresh": {
    async prepare(stage) {
      return { body: { refreshToken: (await authOf(stage).login()).body.refreshToken } };
    },
  },
  "POST /api/auth/logout": {
    async prepare(stage) {
      const { login, cookieOf } = authOf(stage);
      return { headers: { ...cookieOf(await login()), ...sameSite } };
    },
  },
  "GET /api/auth/session": {
    async prepare(stage) {
      const { login, cookieOf } = authOf(stage);
      return { headers: cookieOf(await login()) };
    },
  },
  "GET /.well-known/jwks.json": nobody,
  "POST /api/x402/verify": {
    prepare: async ({ world }) => ({ body: (await signRequest(world.chain)).request }),
  },
  "POST /api/x402/settle": {
    prepare: async ({ world }) => ({
      body: (await signRequest(world.chain)).request,
      headers: { "idempotency-key": unique("once-") },
    }),
  },
  "GET /api/x402/supported": nobody,
  "GET /api/x402/health": nobody,
  "GET /api/x402/discovery/resources": nobody,
  "GET /api/x402/discovery/search": { prepare: () => ({ query: { query: "article" } }) },
  "GET /.well-known/x402": nobody,
  "GET /.well-known/did.json": nobody,
  "GET /api/x402/payments": { prepare: () => ({ query: { account: "carol" } }) },
  "GET /api/demo/tips": {
    async prepare({ bob, room }) {
      return { query: { post: (await bob.post(room, "not tipped yet")).id } };
    },
  },
  "POST /api/demo/tips": {
    async prepare({ world, alice, bob, room }) {
      const { id } = await bob.post(room, "good work");
      const query = { to: bob.name, amount: "0.010", post: id };
      const url = `${world.gateway.url}/api/demo/tips?${new URLSearchParams(query)}`;
      const { headers } = asking(alice);
      const offered = await fetch(url, { method: "POST", ...(headers && { headers }) });
      return asking(alice, { query, headers: await pay(world, offered) });
    },
  },
  "GET /api/demo/articles": nobody,
  "GET /api/demo/articles/{slug}": {
    isOneTime: true,
    async prepare({ world }) {
      const slug = articles[0]?.slug ?? "";
      const offered = await fetch(`${world.gateway.url}/api/demo/articles/${slug}`);
      return { params: { slug }, headers: await pay(world, offered) };
    },
  },
  "GET /api/health/live": nobody,
  "GET /api/health/ready": nobody,
  "GET /api/metrics": {
    prepare: ({ metricsToken }) => ({ headers: { authorization: `Bearer ${metricsToken}` } }),
  },
  // Only `server.ts` starts a sandbox.
  "GET /api/sandbox": { ...nobody, status: 404 },
  "GET /api/openapi.json": nobody,
};
