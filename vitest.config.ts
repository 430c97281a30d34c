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
    // A busy machine may take its time: these end what hangs, and assert nothing.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
