import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { freePort } from "../harness/free-port.ts";
import { startBrowser } from "../harness/start-browser.ts";
import { startServer } from "../harness/start-server.ts";

/** Starts the built server on a new sandbox and a browser, and ends both after `measure`. */
export async function measureInBrowser(
  measure: (browser: Browser, url: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-in-browser-"));
  const started = await startServer(["--sandbox"], {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
  });
  if (!("url" in started)) throw new Error(started.output);
  const browser = await startBrowser();
  try {
    await measure(browser, started.url.replace("127.0.0.1", "localhost"));
  } finally {
    await browser.close();
    started.child.kill("SIGTERM");
    await started.exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Signs a sandbox account in, in a window of its own, and returns the cookies that this leaves. */
export async function signInAs(
  browser: Browser,
  url: string,
  name: string,
): Promise<Awaited<ReturnType<BrowserContext["storageState"]>>> {
  const door = await browser.newContext({ baseURL: url });
  const page = await door.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs(name) }).click();
  await page.waitForURL(/\/chat\//);
  const storageState = await door.storageState();
  await door.close();
  return storageState;
}
