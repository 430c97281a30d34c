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
  // `npm run verify` checks the types of everything, tests included.
  typescript: { ignoreBuildErrors: true },
};
