/** The parts of the app's manifest that the library shares. */
export type AppManifest = {
  version: string;
  license: string;
  author: string;
  engines: { node: string };
  dependencies: Record<string, string>;
};

/** Describes a successful build. `source` has the same meaning as in `libraryManifest`. */
export function describeBuild(version: string, source: string | null): string {
  const built = `OK: hivegate ${version} is in dist/hivegate, to be tried with npm pack or published.`;
  return source === null
    ? `${built}\nNote: its package.json names no repository, because this checkout has no public one.`
    : built;
}

/**
 * The library's `package.json`: short subpaths for `import` and `require`, and few dependencies. `source` is the
 * web address of the repository, or null without a public one.
 */
export function libraryManifest(app: AppManifest, entries: readonly string[], source: string | null): object {
  const { version, license, author, engines } = app;
  const subpath = (name: string) => (name === "index" ? "." : `./${name}`);
  const files = (name: string) => ({
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  });
  // An import of the styles has types too, because TypeScript can check imports for their effects alone.
  const styles = {
    import: { types: `./${stylesheet}.d.ts`, default: `./${stylesheet}` },
    require: { types: `./${stylesheet}.d.cts`, default: `./${stylesheet}` },
  };
  return {
    name: "hivegate",
    version,
    description:
      "Sell and buy by HTTP 402 in HBD on Hive, and talk to a Hivegate chat: paywalls, paying client, facilitator.",
    keywords: [
      "402",
      "chat",
      "express",
      "fastify",
      "hbd",
      "hive",
      "hono",
      "mattermost",
      "mcp",
      "micropayments",
      "next",
      "payments",
      "paywall",
      "x402",
    ],
    license,
    author,
    ...(source !== null && homeAt(source)),
    type: "module",
    sideEffects: [`./${stylesheet}`],
    engines,
    bin: { [command.name]: `./${command.name}.js` },
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ...Object.fromEntries(entries.map((name) => [subpath(name), files(name)])),
      [`./${stylesheet}`]: styles,
      "./package.json": "./package.json",
    },
    files: ["*.js", "*.cjs", "*.d.ts", "*.d.cts", stylesheet, "chunks", "types"],
    dependencies: Object.fromEntries(dependencies.map((name) => [name, `^${app.dependencies[name]}`])),
    peerDependencies: optionalPeers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(optionalPeers).map((name) => [name, { optional: true }]),
    ),
  };
}

const homeAt = (source: string) => ({
  repository: { type: "git", url: `git+${source}.git` },
  homepage: `${source}#readme`,
  bugs: { url: `${source}/issues` },
});

/** The published stores by subpath: their file, the factory that it exports, and the driver with its imports. */
export const stores = {
  sqlite: {
    file: "lib/store/sqlite-store.ts",
    factory: "createSqliteStore",
    driver: "libsql",
    imports: "export default driver;",
  },
  redis: {
    file: "lib/store/redis-store.ts",
    factory: "createRedisStore",
    driver: "redis",
    imports: "export const { createClient } = driver;",
  },
} as const;

/** The subpaths and their files: `client` is `hivegate/client`, `index` is `hivegate` itself. */
export const entries: Readonly<Record<string, string>> = {
  index: "lib/x402/index.ts",
  client: "lib/x402/client/index.ts",
  paywall: "lib/x402/express.ts",
  next: "lib/x402/next.ts",
  hono: "lib/x402/hono.ts",
  fastify: "lib/x402/fastify.ts",
  node: "lib/x402/node.ts",
  facilitator: "lib/x402/facilitator/index.ts",
  refunds: "lib/x402/refunds/index.ts",
  scheme: "lib/x402/scheme/index.ts",
  mcp: "lib/x402/mcp/index.ts",
  approvals: "lib/approvals/index.ts",
  sandbox: "lib/x402/sandbox.ts",
  chat: "lib/chat-client/index.ts",
  signin: "lib/hive/sign-in.ts",
  wallets: "lib/wallet-links/index.ts",
  react: "app/(demo)/_session/published-panel.tsx",
  sqlite: stores.sqlite.file,
  redis: stores.redis.file,
};

/** The styles of `hivegate/react`. */
export const stylesheet = "react.css";

/** The command behind `npx hivegate init` and `npx hivegate mcp-wallet`. */
export const command = { name: "hivegate", file: "lib/command/hivegate.ts" } as const;

/** The packages installed with the library. All others are bundled. */
export const dependencies = ["@noble/curves", "@noble/hashes", "undici"] as const;

/** The packages that the library uses if the application has them: drivers, and the frameworks of adapters and panel. */
export const optionalPeers = {
  "@modelcontextprotocol/client": ">=2 <3",
  "@modelcontextprotocol/sdk": ">=1.20 <2",
  "@modelcontextprotocol/server": ">=2 <3",
  "@x402/core": ">=2.25 <3",
  express: ">=4",
  fastify: ">=5",
  hono: ">=4",
  libsql: ">=0.5 <1",
  react: ">=18",
  redis: ">=5",
  secp256k1: ">=5 <6",
  /** Only the wallet uses the application's zod; the library contains its own copy. */
  zod: ">=4.2 <5",
} as const;
