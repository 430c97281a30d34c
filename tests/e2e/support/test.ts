import { test as base, type Page } from "playwright/test";
import { strings as session } from "../../../app/(demo)/_session/strings.en.ts";
import { KEPT_LOOK } from "../../../app/(demo)/_ui/kept-look.ts";
import { KEPT_COOKIE } from "../../../app/(demo)/_ui/kept-marks.ts";
import { keepWindow, type StorageState, takeWindow, watchWindow } from "./kept-windows.ts";
import { startWorkerServer } from "./start-worker-server.ts";

/** Sign-ins of this worker, so that each account signs in once. */
const states = new Map<string, StorageState>();

const NOBODY = "";
const NOTHING: StorageState = { cookies: [], origins: [] };

async function signInAt(page: Page, url: string, name: string): Promise<StorageState> {
  await page.goto(url);
  await page.getByRole("button", { name: session.sandbox.signInAs(name) }).click();
  await page.waitForURL(/\/chat(\/|$)/);
  return markAsKeeping(await page.context().storageState(), url);
}

/**
 * Marks a browser as one that stores the chat, so that the page is sent without messages, whose texts would
 * appear twice for a moment.
 */
function markAsKeeping({ cookies, origins }: StorageState, url: string): StorageState {
  const mark = { name: KEPT_COOKIE, value: "1", domain: new URL(url).hostname, path: "/chat" };
  const others = cookies.filter(({ name }) => name !== KEPT_COOKIE);
  const rest = { expires: -1, httpOnly: false, secure: false, sameSite: "Lax" as const };
  return { cookies: [...others, { ...mark, ...rest }], origins };
}

/** Runs in each page before its scripts. */
function dropStoredLook(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {
    // The page has no address yet.
  }
}

type OpenOptions = {
  /** A server other than the worker's. Its sign-ins are not stored. */
  url?: string;
  viewport?: { width: number; height: number };
  hasTouch?: boolean;
  isMobile?: boolean;
  colorScheme?: "light" | "dark";
  /** The browser's language. The user must have signed in before, in a window in English. */
  locale?: string;
  /** Shows the stored look of a channel, whose texts appear twice for a moment. */
  showsLook?: boolean;
};

type WorkerFixtures = {
  /** The address of the worker's server. */
  url: string;
};

type Fixtures = {
  /** Opens a new window at a path, signed in through the page. `null` loads nothing yet. */
  openAs: (name: string, path?: string | null, options?: OpenOptions) => Promise<Page>;
};

export const test = base.extend<Fixtures, WorkerFixtures>({
  url: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of what a fixture needs
    async ({}, use) => {
      const server = await startWorkerServer();
      await use(server.url);
      await server.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: ({ url }, use) => use(url),
  // A window without a user. The runner would create one from a context, but this window may be a stored one,
  // which has its own context.
  page: async ({ browser, viewport, serviceWorkers, bypassCSP }, use, info) => {
    const isPlain = serviceWorkers === "block" && !bypassCSP;
    const kept = isPlain ? takeWindow(NOBODY) : undefined;
    if (kept && viewport) await kept.setViewportSize(viewport);
    const page = kept ?? (await (await browser.newContext()).newPage());
    if (!kept) watchWindow(page);
    await use(page);
    const isUnharmed = info.status === info.expectedStatus;
    await (isUnharmed && isPlain ? keepWindow(page, NOBODY, NOTHING) : page.context().close());
  },
  context: ({ page }, use) => use(page.context()),
  openAs: async ({ browser, url, viewport: usual, serviceWorkers, bypassCSP }, use, info) => {
    const pages: Array<{ page: Page; name: string; isPlain: boolean }> = [];
    const open = async (name: string, { url: own, viewport, showsLook, ...others }: OpenOptions) => {
      const isUsual = serviceWorkers === "block" && !bypassCSP && !showsLook;
      const isPlain = isUsual && !own && Object.keys(others).length === 0;
      const kept = isPlain ? takeWindow(name) : undefined;
      if (kept) {
        pages.push({ page: kept, name, isPlain });
        const size = viewport ?? usual;
        if (size) await kept.setViewportSize(size);
        return kept;
      }
      const at = own ?? url;
      const known = own ? undefined : states.get(name);
      const context = await browser.newContext({
        ...others,
        ...(viewport && { viewport }),
        baseURL: at,
        permissions: ["clipboard-read", "clipboard-write"],
        ...(known && { storageState: known }),
      });
      if (!showsLook) await context.addInitScript(dropStoredLook, KEPT_LOOK);
      const page = await context.newPage();
      watchWindow(page);
      if (!known) {
        const state = await signInAt(page, at, name);
        await context.addCookies(state.cookies);
        if (!own) states.set(name, state);
      }
      pages.push({ page, name, isPlain });
      return page;
    };
    await use(async (name, path = "/chat", options = {}) => {
      const page = await open(name, options);
      if (path !== null) await page.goto(path);
      return page;
    });
    const isUnharmed = info.status === info.expectedStatus;
    await Promise.all(
      pages.map(({ page, name, isPlain }) => {
        const state = states.get(name);
        return isUnharmed && isPlain && state ? keepWindow(page, name, state) : page.context().close();
      }),
    );
  },
});

export { expect } from "playwright/test";
