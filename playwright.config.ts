import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "playwright/test";

const root = fileURLToPath(new URL(".", import.meta.url));
const browsers = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
];
const executablePath = browsers.find((path) => path && existsSync(path));
if (!executablePath) throw new Error("Chromium is missing: install it, or name it in CHROMIUM_PATH");

/**
 * The browser tests: the built server (`npm run build` first) on the sandbox, one per worker, driven by the machine's
 * own Chromium. With `CHAT_BASE_URL`, `CHAT_ADMIN_TOKEN` and `CHAT_TEAM_ID`, they use that Mattermost and the sandbox's
 * chain.
 */
export default defineConfig({
  testDir: `${root}tests/e2e`,
  outputDir: `${root}test-results/e2e`,
  globalSetup: `${root}tests/harness/bundled-processes.ts`,
  // Gateways that share a Mattermost but no store create tokens for the same people, and each gateway retains only
  // the latest few.
  workers: process.env.CHAT_BASE_URL ? 1 : 3,
  // These limits only end hanging tests, because a busy machine can take its time.
  timeout: 300_000,
  // A failure of a slow browser on a busy machine proves no fault. Verify ends with a list of the tests that
  // needed a second try.
  retries: 1,
  expect: { timeout: 40_000 },
  forbidOnly: true,
  reporter: [["line"], ["json", { outputFile: `${root}test-results/playwright.json` }]],
  use: {
    viewport: { width: 1280, height: 800 },
    // The service worker must not answer requests that tests delay or answer; its own tests allow it.
    serviceWorkers: "block",
    locale: "en-GB",
    actionTimeout: 40_000,
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        // Each frame passes through one process fewer, which saves a tenth of the time.
        "--in-process-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        // Pages live for seconds, so compiling code ahead or optimizing it costs more than it saves.
        "--js-flags=--max-lazy --no-opt --no-maglev",
      ],
    },
  },
});
