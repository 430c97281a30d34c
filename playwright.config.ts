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
 * The browser tests: the built server (`npm run build` first) on the sandbox, one for each worker, driven by the
 * machine's own Chromium. With `CHAT_BASE_URL`, `CHAT_ADMIN_TOKEN` and `CHAT_TEAM_ID`, on that Mattermost and the
 * sandbox's chain.
 */
export default defineConfig({
  testDir: `${root}tests/e2e`,
  outputDir: `${root}test-results/e2e`,
  globalSetup: `${root}tests/harness/bundled-processes.ts`,
  // Gateways that share a Mattermost but no store make tokens for the same people, and each keeps only the latest few.
  workers: process.env.CHAT_BASE_URL ? 1 : 3,
  // A busy machine may take its time: these end what hangs, and assert nothing.
  timeout: 120_000,
  // Whoever needed the second try is named at the end of verify: a browser on a busy machine is no proof of a fault.
  retries: 1,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: [["line"], ["json", { outputFile: `${root}test-results/playwright.json` }]],
  use: {
    viewport: { width: 1280, height: 800 },
    // What tests hold up or answer themselves must not be answered by a worker; its own tests let it in.
    serviceWorkers: "block",
    locale: "en-GB",
    actionTimeout: 20_000,
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        // A process less to hand each frame to: a tenth of all time.
        "--in-process-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        // Pages live for seconds: what is compiled ahead, or a second time and better, costs more than it gives.
        "--js-flags=--max-lazy --no-opt --no-maglev",
      ],
    },
  },
});
