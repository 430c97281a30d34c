import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/e2e/**", "node_modules/**"],
    environment: "node",
    pool: "forks",
    maxWorkers: 3,
    // Gateways that share a backend but no store make tokens for the same accounts, and each keeps only the latest few.
    fileParallelism: !process.env.CHAT_BASE_URL,
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
