import fc, { type Arbitrary } from "fast-check";
import { operations } from "../../lib/contract/operations.ts";
import type { ServerName } from "./attack.ts";
import { paymentRequest } from "./good-payment.ts";
import { hostileText } from "./hostile-texts.ts";

/** A message's target, with the method and the JSON body (null: none) that have the greatest effect there. */
export type Target = { target: string; method: string; body: string | null };

const bodies: Readonly<Record<string, unknown>> = {
  "/api/chat/bootstrap": { username: "alice", accessToken: "{access}", community: "hive-100001" },
  "/api/chat/channels/search": { term: "general" },
  "/api/chat/channels/{channelId}/favorite": { favorite: true },
  "/api/chat/channels/{channelId}/mute": { mute: false },
  "/api/chat/channels/{channelId}/posts": { message: "hello", rootId: "", pendingPostId: "{user}:1" },
  "/api/chat/channels/{channelId}/posts/{postId}": { message: "changed" },
  "/api/chat/channels/{channelId}/posts/{postId}/reactions": { emoji: "smile", add: true },
  "/api/chat/search/posts": { term: "hello", page: 0, per_page: 20 },
  "/api/chat/direct": { username: "bob" },
  "/api/auth/challenge": { username: "alice" },
  "/api/auth/login": { username: "alice", message: "{}", signature: "0".repeat(130) },
  "/api/auth/refresh": { refreshToken: "a.b.c" },
};
const queries = [
  "page",
  "per_page",
  "before",
  "after",
  "around",
  "thread",
  "q",
  "to",
  "post",
  "account",
  "limit",
  "token",
];

/** Odd text in an escaped form that a target can contain. The HTTP parser would reject it unescaped. */
const escaped = hostileText.map((text) =>
  text.replace(/[^!-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`),
);

const idOf = (name: string): Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constant(name === "userId" ? "{user}" : name === "postId" ? "{post}" : "{channel}"),
    },
    { weight: 1, arbitrary: fc.constant("z".repeat(26)) },
    { weight: 2, arbitrary: escaped },
  );

const query = fc
  .array(fc.tuple(fc.constantFrom(...queries), escaped), { maxLength: 3 })
  .map((pairs) => (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}` : ""));

const apiTargets: Arbitrary<Target> = fc
  .constantFrom(
    ...Object.entries(operations).flatMap(([path, methods]) =>
      // A logout would revoke the token that all other requests carry.
      path === "/api/chat/logout"
        ? []
        : Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    ),
  )
  .chain(({ path, method }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    return fc.tuple(fc.tuple(...names.map(idOf)), query).map(([ids, search]) => {
      let target = path;
      names.forEach((name, index) => {
        target = target.replace(`{${name}}`, () => ids[index] ?? "");
      });
      const isPayment = /x402\/(verify|settle)$/.test(path);
      const body = isPayment ? paymentRequest : JSON.stringify(bodies[path] ?? {});
      return { target: target + search, method, body: method === "GET" ? null : body };
    });
  });

const detours = ["", "/", "/.", "/..", "//", "/%2e%2e", "/%2f", "/%5c", "/;x=y"];
const pagePaths = [
  "/",
  "/chat",
  "/chat/{channel}",
  "/articles",
  "/articles/three-seconds-and-no-fee",
  "/payments",
  "/reference",
];
const files = [
  "/_next/image?url=%2Fx.png&w=640&q=75",
  "/_next/static/x.js",
  "/_next/data/x.json",
  "/emoji/en/data.json",
  "/favicon.ico",
  "/_error",
  "/_global-error",
  "/_not-found",
  "/.env",
  "/api",
  "/api/",
];

const pageTargets: Arbitrary<Target> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...pagePaths, ...files),
      escaped.map((text) => `/chat/${text}`),
      escaped.map((text) => `/articles/${text}`),
    ),
    fc.constantFrom(...detours),
    query,
  )
  .map(([path, detour, search]) => ({ target: `${path}${detour}${search}`, method: "GET", body: null }));

const paths = (entries: ReadonlyArray<readonly [string, string, string | null]>): Arbitrary<Target> =>
  fc
    .tuple(fc.constantFrom(...entries), query)
    .map(([[path, method, body], search]) => ({ target: path + search, method, body }));

const odd: Arbitrary<Target> = fc
  .oneof(
    fc.constantFrom(
      "*",
      "//",
      "///etc/passwd",
      "http://[",
      "http://x",
      "http://evil.example/api/chat/me",
      "https://{host}/",
      "{host}",
      "?",
      "#",
      "/#x",
      "/\\",
      "/x".repeat(2000),
    ),
    hostileText.map((text) => `/${text}`),
    hostileText,
  )
  .map((target) => ({ target, method: "GET", body: null }));

const own: Record<ServerName, Arbitrary<Target>> = {
  app: fc.oneof({ weight: 5, arbitrary: apiTargets }, { weight: 3, arbitrary: pageTargets }),
  facilitator: paths([
    ["/verify", "POST", paymentRequest],
    ["/settle", "POST", paymentRequest],
    ["/health", "GET", null],
    ["/supported", "GET", null],
    ["/metrics", "GET", null],
  ]),
  shop: paths([
    ["/article", "GET", null],
    ["/article", "POST", "{}"],
  ]),
};

/** A target that a server has, or one that no server should have. */
export const targetOf = (server: ServerName): Arbitrary<Target> =>
  fc.oneof({ weight: 12, arbitrary: own[server] }, { weight: 1, arbitrary: odd });
