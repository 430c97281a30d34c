/** What the app's own manifest tells of the library. */
export type AppManifest = {
  version: string;
  license: string;
  author: string;
  engines: { node: string };
  dependencies: Record<string, string>;
  repository?: string | { url: string };
};

/** Where the project's source lies for everybody. */
export type PublicAddress = {
  repository: { type: "git"; url: string };
  homepage: string;
  bugs: { url: string };
};

/**
 * What the manifest tells of the project's home, taken from an address that it can be cloned from, by https or ssh.
 * @returns undefined where nobody else can reach that address: a folder, a lone host name, an IP address.
 */
export function publicAddress(origin: string): PublicAddress | undefined {
  const asUrl = origin.trim().replace(/^(?:[\w.-]+@)?([\w.-]+):(?!\/)/, "ssh://$1/");
  if (!URL.canParse(asUrl)) return undefined;
  const { protocol, hostname, pathname } = new URL(asUrl);
  const path = pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!/^(https|ssh|git\+ssh|git\+https):$/.test(protocol) || path === "") return undefined;
  if (!/\.[a-z][a-z0-9-]*$/i.test(hostname) || /\.(local|internal|localhost)$/i.test(hostname))
    return undefined;
  const home = `https://${hostname}${path}`;
  return {
    repository: { type: "git", url: `git+${home}.git` },
    homepage: `${home}#readme`,
    bugs: { url: `${home}/issues` },
  };
}

export const noRepository =
  "The package has no repository: name one in the package.json of the checkout, or with git remote add origin https://HOST/OWNER/NAME.git. Then npm run build:lib again.";

/** Stops `npm publish`, and nothing else: `npm pack` and `npm install` run no such script. */
const refusePublishing = {
  prepublishOnly: `node -e "console.error('${noRepository}');process.exit(1)"`,
};

/** The address of the app's repository: the one that its manifest names, or else where the folder was cloned from. */
export function repositoryOf({ repository }: Pick<AppManifest, "repository">, origin: string): string {
  return (typeof repository === "string" ? repository : repository?.url) ?? origin;
}

/** The library's `package.json`: short subpaths, for `import` and `require`, and next to no dependencies. */
export function libraryManifest(
  app: AppManifest,
  entries: readonly string[],
  address: PublicAddress | undefined,
): object {
  const { version, license, author, engines } = app;
  const subpath = (name: string) => (name === "index" ? "." : `./${name}`);
  const files = (name: string) => ({
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  });
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
      "micropayments",
      "next",
      "payments",
      "paywall",
      "x402",
    ],
    license,
    author,
    ...(address ?? { scripts: refusePublishing }),
    type: "module",
    sideEffects: false,
    engines,
    bin: { hivegate: "./init.js" },
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ...Object.fromEntries(entries.map((name) => [subpath(name), files(name)])),
      "./package.json": "./package.json",
    },
    files: ["*.js", "*.cjs", "*.d.ts", "*.d.cts", "chunks", "types"],
    dependencies: Object.fromEntries(dependencies.map((name) => [name, `^${app.dependencies[name]}`])),
    peerDependencies: optionalPeers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(optionalPeers).map((name) => [name, { optional: true }]),
    ),
  };
}

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

/** What runs by itself: `npx hivegate init`. */
export const commands: Readonly<Record<string, string>> = { init: "lib/init/init.ts" };

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
