import type { BrowserContext, Page } from "playwright/test";

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * Windows of finished tests, by signed-in user, if any. Their process has already compiled the code, so that
 * a page takes half as long.
 */
const kept = new Map<string, Page[]>();

/** Changes to a window that can't be undone. */
const lasting = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "grantPermissions",
  "newCDPSession",
  "routeWebSocket",
  "setExtraHTTPHeaders",
];

/** Events that tests listen for. */
const heard = [
  "console",
  "dialog",
  "pageerror",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
  "websocket",
];

const changed = new WeakSet<BrowserContext>();

/** Records when a test changes a window permanently. */
export function watchWindow(page: Page): void {
  const context = page.context();
  for (const target of [page, context])
    for (const name of lasting) {
      const method = Reflect.get(target, name);
      if (typeof method !== "function") continue;
      Reflect.set(target, name, (...args: unknown[]) => {
        changed.add(context);
        return method.apply(target, args);
      });
    }
  for (const target of [page, context])
    Object.defineProperty(target, "clock", {
      value: new Proxy(target.clock, {
        get(clock, name) {
          changed.add(context);
          const method = Reflect.get(clock, name);
          return typeof method === "function" ? method.bind(clock) : method;
        },
      }),
    });
}

/** Returns a stored window in which this user is signed in, in its initial state, if there is one. */
export function takeWindow(name: string): Page | undefined {
  return kept.get(name)?.pop();
}

/** Clears the page's storage, and then stores these entries of localStorage again. */
async function emptyStores(stored: Array<{ name: string; value: string }>) {
  localStorage.clear();
  sessionStorage.clear();
  for (const { name, value } of stored) localStorage.setItem(name, value);
  for (const { name } of await indexedDB.databases()) if (name) indexedDB.deleteDatabase(name);
  for (const key of await caches.keys()) await caches.delete(key);
}

/**
 * Resets a window for the next test to the moment after sign-in, in `state`. Closes a window that can't be
 * reset.
 */
export async function keepWindow(page: Page, name: string, state: StorageState): Promise<void> {
  const context = page.context();
  try {
    if (changed.has(context) || page.isClosed()) return await context.close();
    await Promise.all(context.pages().map((other) => other !== page && other.close()));
    for (const event of heard) page.removeAllListeners(event);
    await context.setOffline(false);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.unrouteAll({ behavior: "ignoreErrors" });
    // This page needs the same policy as every other page, or the next one would get a different process.
    const headers = { "cross-origin-opener-policy": "same-origin" };
    await page.route("**/between-tests", (route) =>
      route.fulfill({ contentType: "text/html", headers, body: "" }),
    );
    await page.goto("/between-tests");
    await page.unrouteAll();
    await page.evaluate(emptyStores, state.origins[0]?.localStorage ?? []);
    await context.clearCookies();
    await context.addCookies(state.cookies);
    await page.emulateMedia({
      colorScheme: null,
      contrast: null,
      forcedColors: null,
      media: null,
      reducedMotion: null,
    });
    await page.mouse.move(0, 0);
    kept.set(name, [...(kept.get(name) ?? []), page]);
  } catch {
    await context.close();
  }
}
