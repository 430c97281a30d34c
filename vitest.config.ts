import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Start the gateway's modules with settings of their own, or whole processes: each file has a process for itself. */
const apart = [
  "tests/{faults,package,fuzz}/**/*.test.ts",
  "tests/simulation/*.test.ts",
  "tests/{unit,integration}/http/{preflight,route}.test.ts",
];

/** Files that start processes take long: begun last, they would leave cores idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isApart = ({ project }: TestSpecification) => project.name === "apart";
    const sorted = await super.sort(files);
    return [...sorted.filter(isApart), ...sorted.filter((file) => !isApart(file))];
  }
}

export default defineConfig({
  test: {
    environment: "node",
    globalSetup: ["tests/harness/bundled-processes.ts"],
    pool: "forks",
    // Gateways that share a Mattermost but no store make tokens for the same accounts, and each keeps only the latest few.
    fileParallelism: !process.env.CHAT_BASE_URL,
    // A busy machine may take its time: these end what hangs, and assert nothing.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    // They wait for processes and clocks more than they compute.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "apart", include: apart } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/e2e/**", ...apart],
          // Loading the same modules again for each file took a quarter of all time.
          isolate: false,
        },
      },
    ],
  },
});
