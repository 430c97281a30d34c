import { defineConfig } from "vitest/config";

/**
 * These tests start whole processes, or inspect what a process has loaded, so each file has its own process.
 */
const apart = ["tests/{faults,package,fuzz}/**/*.test.ts"];

const globalSetup = ["tests/harness/bundled-processes.ts"];

/** Verify shuffles files and tests by a seed, which it prints. */
const { SHUFFLE_SEED } = process.env;

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    // Gateways that share a Mattermost but no store create tokens for the same accounts, and each gateway
    // retains only the latest few.
    fileParallelism: !process.env.CHAT_BASE_URL,
    // These limits only end hanging tests, because a busy machine can take its time.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 10_000,
    ...(SHUFFLE_SEED && { sequence: { shuffle: { files: true, tests: true }, seed: Number(SHUFFLE_SEED) } }),
    // Node itself loads these files, as it loads them in the processes that start from them.
    server: { deps: { external: [/\/test-results\/processes\//] } },
    projects: [
      // More workers than cores, because these tests wait for processes and clocks more than they compute.
      { extends: true, test: { name: "apart", include: apart, maxWorkers: 5, globalSetup } },
      {
        extends: true,
        // The same tests again, with Next calling the built routes instead of the dispatcher.
        test: {
          name: "contract through Next",
          globalSetup,
          include: ["tests/contract/{auth,chat,demo,server,x402}/**/*.test.ts"],
          env: { GATEWAY_THROUGH: "next" },
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        // Runs after the others, because it occupies every core.
        test: {
          name: "simulation",
          // Simulated processes would print thousands of warnings about each other.
          execArgv: ["--no-warnings"],
          include: ["tests/simulation/*.test.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "together",
          globalSetup,
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/e2e/**", "tests/simulation/**", ...apart],
          // Loading the same modules again per file took a quarter of the time.
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
