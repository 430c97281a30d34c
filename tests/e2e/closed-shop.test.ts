import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { freePort } from "../harness/free-port.ts";
import { startServer } from "../harness/start-server.ts";
import { expect, test } from "./support/test.ts";

const ARTICLE = "/articles/three-seconds-and-no-fee";

let address: string;
let close = async () => {};

// Starts a gateway of the main chain without PAYWALL_ACCOUNT. Its pages need neither Mattermost nor the chain.
test.beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const port = await freePort();
  const started = await startServer([], {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    LOG_LEVEL: "silent",
    SESSION_SECRET: "s".repeat(32),
    CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
    CHAT_ADMIN_TOKEN: "a".repeat(26),
    CHAT_TEAM_ID: "t".repeat(26),
    HIVE_NODES: "http://127.0.0.1:9",
  });
  if (!("url" in started)) throw new Error(started.output);
  address = `http://localhost:${port}`;
  close = async () => {
    started.child.kill("SIGKILL");
    await started.exited;
    await rm(dataDir, { recursive: true, force: true });
  };
});
test.afterAll(() => close());

test("a server without an account to pay offers no articles on its first page", async ({ page }) => {
  await page.goto(address);
  await expect(page.getByRole("link", { name: landing.nav.payments })).toBeVisible();
  await expect(page.getByRole("link", { name: landing.nav.articles, exact: true })).toHaveCount(0);
  await expect(page.getByRole("link", { name: landing.readArticles })).toHaveCount(0);
});

for (const path of ["/articles", ARTICLE])
  test(`a server without an account to pay says at ${path} that nothing is for sale`, async ({ page }) => {
    await page.goto(address + path);
    await expect(page.getByRole("heading", { level: 1, name: articles.closed.title })).toBeVisible();
    await expect(page.getByText(articles.closed.text)).toBeVisible();
  });
