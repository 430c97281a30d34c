import { dependencies, optionalPeers } from "./entries.ts";

/** What the app's own manifest tells of the library. */
export type AppManifest = {
  version: string;
  license: string;
  engines: { node: string };
  dependencies: Record<string, string>;
  /** Not there as long as the project has no public address. */
  repository?: unknown;
  homepage?: string;
  bugs?: unknown;
};

/** The library's `package.json`: short subpaths, for `import` and `require`, and next to no dependencies. */
export function libraryManifest(app: AppManifest, entries: readonly string[]): object {
  const { version, license, engines, repository, homepage, bugs } = app;
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
    ...(repository !== undefined && { repository }),
    ...(homepage !== undefined && { homepage }),
    ...(bugs !== undefined && { bugs }),
    type: "module",
    sideEffects: false,
    engines,
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
