/** The parts of Markdown libraries that the pages replace or never use. */
const replaced = {
  "mdast-util-to-markdown": "no-markdown-writer",
  "markdown-table": "no-markdown-writer",
  "@ungap/structured-clone": "clone-by-platform",
};

/** Readers without the cookies of a sign-in, as in `middleware.ts`, see how to sign in at any address of the chat. */
const signedOut = ["chat_pat", "session"].map((key) => ({ type: "cookie", key }));

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // The server compresses all answers itself.
  compress: false,
  reactStrictMode: true,
  // The build moves them out of the served folder.
  productionBrowserSourceMaps: true,
  rewrites: async () => ({
    beforeFiles: [{ source: "/chat/:path*", missing: signedOut, destination: "/sign-in" }],
  }),
  // Next would scale pictures for anyone, whatever that costs, and no page here needs it.
  images: { unoptimized: true },
  serverExternalPackages: [
    "@upstash/redis",
    "libsql",
    "pino",
    "prom-client",
    "redis",
    "secp256k1",
    "undici",
    "ws",
  ],
  turbopack: {
    rules: { "**/virtua/lib/index.js": { loaders: ["./app/(demo)/_chat/list/only-virtualizer.mjs"] } },
    resolveAlias: Object.fromEntries(
      Object.entries(replaced).map(([name, file]) => [
        name,
        { browser: `./app/(demo)/_chat/message/${file}.ts` },
      ]),
    ),
  },
  experimental: {
    // Without an HTTP/2 proxy, a browser requests six files at a time, and a phone waits half a second for each, so few
    // larger files load sooner than many small ones.
    turbopackChunking: {
      priorityRoutes: [/^\/chat/],
      requestCost: 4_000_000,
      minChunkSize: 1_000_000,
      maxChunkCountPerGroup: 2,
      maxMergeChunkSize: 4_000_000,
    },
  },
  // `npm run verify` checks the types of everything, tests included.
  typescript: { ignoreBuildErrors: true },
};
