import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "playwright/test";

const root = fileURLToPath(new URL(".", import.meta.url));
const PORT = Number(process.env.E2E_PORT ?? 4319);
const url = `http://localhost:${PORT}`;
const browsers = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = browsers.find((path) => path && existsSync(path));
if (!executablePath) throw new Error("Chromium is missing: install it, or name it in CHROMIUM_PATH");

/** The browser tests: the built server (`npm run build` first) on the sandbox, driven by the machine's own Chromium. */
export default defineConfig({
  testDir: `${root}tests/e2e`,
  outputDir: `${root}test-results/e2e`,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [["line"], ["json", { outputFile: `${root}test-results/playwright.json` }]],
  use: {
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    actionTimeout: 10_000,
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
    },
  },
  webServer: {
    command: "rm -rf test-results/e2e-data && exec node dist/server.js --sandbox",
    cwd: root,
    url: `${url}/api/health/ready`,
    env: {
      NODE_ENV: "production",
      PORT: String(PORT),
      DATA_DIR: "test-results/e2e-data",
      RATE_LIMITS: "off",
      LOG_LEVEL: "error",
    },
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
    timeout: 120_000,
  },
});
