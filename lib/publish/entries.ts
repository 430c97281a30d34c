/** What people import, and the file behind it: `hivegate/client` is `client`, `hivegate` itself `index`. */
export const entries: Readonly<Record<string, string>> = {
  index: "lib/x402/index.ts",
  client: "lib/x402/client/index.ts",
  paywall: "lib/x402/paywall/index.ts",
  next: "lib/x402/next.ts",
  hono: "lib/x402/hono.ts",
  express: "lib/x402/express.ts",
  fastify: "lib/x402/fastify.ts",
  node: "lib/x402/node.ts",
  facilitator: "lib/x402/facilitator/index.ts",
  scheme: "lib/x402/scheme/index.ts",
  chat: "lib/chat-client/index.ts",
  sqlite: "lib/store/sqlite-store.ts",
  redis: "lib/store/redis-store.ts",
};

/** Installed with the library; what else it is made of is bundled. */
export const dependencies = ["@noble/curves", "@noble/hashes", "undici"] as const;

/** Used where the application has them: drivers, and the frameworks that the adapters are for. */
export const optionalPeers = {
  "@x402/core": ">=2.25 <3",
  fastify: ">=5",
  hono: ">=4",
  libsql: ">=0.5 <1",
  redis: ">=5",
  secp256k1: ">=5 <6",
} as const;
