/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // The server compresses all answers alike, its own too.
  compress: false,
  reactStrictMode: true,
  // Its pictures are scaled on demand, for anybody and at any cost; no page here needs that.
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
  experimental: {
    // Without a proxy that speaks HTTP/2 a browser asks for six files at a time, and a phone waits half a second for each:
    // few larger ones are there sooner than many small ones.
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
