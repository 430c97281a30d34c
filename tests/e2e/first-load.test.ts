import type { Browser, BrowserContextOptions, Page, Request } from "playwright/test";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { KEPT_COOKIE } from "../../app/(demo)/_ui/kept-marks.ts";
import { composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { listModules } from "./support/script-modules.ts";
import { expect, test } from "./support/test.ts";

const KIB = 1024;
const STATIC = "/_next/static/";

/** Returns the path of a file below `/_next/static/`. */
const nameOf = (request: Request) => decodeURIComponent(new URL(request.url()).pathname.replace(STATIC, ""));

type FirstLoad = {
  /** Bytes on the wire, without headers, by path below `/_next/static/`. */
  scripts: Map<string, number>;
  fonts: Map<string, number>;
  /** Further scripts that came before the page was at rest. */
  furtherScripts: Map<string, number>;
};

/**
 * Opens a page in a window that has loaded nothing yet, and returns what its HTML names, as `shown` needs it. Parts that
 * the scripts load in turn depend on what happens meanwhile.
 */
async function loadFirst(
  browser: Browser,
  options: BrowserContextOptions,
  path: string,
  shown: (page: Page) => Promise<void>,
): Promise<FirstLoad> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const finished: Request[] = [];
  page.on("requestfinished", (request) => finished.push(request));
  const html = ((await (await page.goto(path))?.text()) ?? "").replaceAll("%7E", "~");
  await shown(page);
  await page.waitForLoadState("networkidle");
  const sizesOf = async (kind: string) => {
    const sizes = finished
      .filter((request) => request.resourceType() === kind)
      .map(async (request) => [nameOf(request), (await request.sizes()).responseBodySize] as const);
    return new Map(await Promise.all(sizes));
  };
  const scripts = [...(await sizesOf("script"))];
  const load = {
    scripts: new Map(scripts.filter(([name]) => html.includes(name))),
    furtherScripts: new Map(scripts.filter(([name]) => !html.includes(name))),
    fonts: await sizesOf("font"),
  };
  await context.close();
  return load;
}

/** Returns whether the parser of Markdown is in one of these scripts. */
const haveParser = (scripts: ReadonlyMap<string, number>) =>
  listModules(scripts, Number.POSITIVE_INFINITY).includes("micromark");

/** Returns the cookies of someone who is signed in, for a browser that stores no messages yet. */
async function signedInAs(signedIn: Page): Promise<BrowserContextOptions["storageState"]> {
  const { cookies, origins } = await signedIn.context().storageState();
  return { origins, cookies: cookies.filter(({ name }) => name !== KEPT_COOKIE) };
}

const inAll = (sizes: ReadonlyMap<string, number>) =>
  [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) / KIB;

/**
 * Fails with the size of each module if the scripts of a first load are too large, or if its fonts are. Prints the
 * sizes of a good one too if `SHOW_MODULES` is set.
 */
function expectWithin({ scripts, fonts }: FirstLoad, most: { scripts: number; fonts: number }): void {
  if (process.env.SHOW_MODULES) console.log(`${inAll(scripts).toFixed(1)} KB\n${listModules(scripts)}`);
  expect(scripts.size).toBeGreaterThan(3);
  expect(
    inAll(scripts),
    `The scripts are larger than planned. KB on the wire by module:\n${listModules(scripts)}\n`,
  ).toBeLessThanOrEqual(most.scripts);
  expect(inAll(fonts), `The fonts are larger than planned: ${[...fonts.keys()]}`).toBeLessThanOrEqual(
    most.fonts,
  );
}

/** Opens a channel in a window that has loaded nothing yet. */
async function openFirst(browser: Browser, options: BrowserContextOptions, room: Room) {
  const page = await (await browser.newContext(options)).newPage();
  let isLoaded = false;
  page.on("requestfinished", (request) => {
    isLoaded ||= request.resourceType() === "script" && haveParser(new Map([[nameOf(request), 1]]));
  });
  await page.goto(`/chat/${room.id}`);
  await waitForChannel(page, room.title);
  return { page, isParserLoaded: () => isLoaded };
}

const FONTS = 60;

// An empty page of the same Next loads 112.4 KB.
test.describe("the first load", () => {
  test("of the landing page is within its budget", async ({ browser, url }) => {
    const load = await loadFirst(browser, { baseURL: url }, "/", (page) =>
      expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible(),
    );
    expectWithin(load, { scripts: 134, fonts: FONTS });
  });

  test("of an article is within its budget", async ({ browser, url }) => {
    const path = "/articles/three-seconds-and-no-fee";
    const load = await loadFirst(browser, { baseURL: url }, path, (page) =>
      expect(page.getByRole("heading", { level: 1 })).toBeVisible(),
    );
    expectWithin(load, { scripts: 131, fonts: FONTS });
  });

  test("of the chat for a signed-out user is within its budget", async ({ browser, url }) => {
    const load = await loadFirst(browser, { baseURL: url }, "/chat", (page) =>
      expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible(),
    );
    expectWithin(load, { scripts: 132, fonts: FONTS });
  });

  test("of a channel is at most ten scripts within its budget", async ({ browser, openAs, url }) => {
    const room = await createRoom(url, "First Load", ["alice", "bob"]);
    await say(room, "alice", "A message with **formatting** and `code`");
    const storageState = await signedInAs(await openAs("bob", null));
    const load = await loadFirst(browser, { baseURL: url, storageState }, `/chat/${room.id}`, (page) =>
      waitForChannel(page, room.title),
    );
    expectWithin(load, { scripts: 204, fonts: FONTS });
    expect(load.scripts.size).toBeLessThanOrEqual(10);
    expect(load.furtherScripts.size).toBeGreaterThan(0);
    expect(haveParser(new Map([...load.scripts, ...load.furtherScripts]))).toBe(false);
  });

  test("of a channel lacks the Markdown parser until its reader types signs of formatting", async ({
    browser,
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "First Words", ["alice", "bob"]);
    await say(room, "alice", "A message with **formatting** and `code`");
    const storageState = await signedInAs(await openAs("bob", null));
    const { page, isParserLoaded } = await openFirst(browser, { baseURL: url, storageState }, room);
    const list = timeline(page, room.title);
    await expect(list.locator("strong")).toHaveText("formatting");
    await composer(page, room.title).fill("Plain words, and then");
    await page.waitForLoadState("networkidle");
    expect(isParserLoaded()).toBe(false);
    await composer(page, room.title).fill("Plain words, and then *stress*");
    await expect.poll(isParserLoaded).toBe(true);
    await page.keyboard.press("Enter");
    await expect(messageRow(list, "Plain words").locator("em")).toHaveText("stress");
    await page.context().close();
  });

  test("of a channel lacks the Markdown parser until someone else types there", async ({
    browser,
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "First Typist", ["alice", "bob"]);
    const alice = await openAs("alice", `/chat/${room.id}`);
    const storageState = await signedInAs(await openAs("bob", null));
    const { page, isParserLoaded } = await openFirst(browser, { baseURL: url, storageState }, room);
    await page.waitForLoadState("networkidle");
    expect(isParserLoaded()).toBe(false);
    await expect(async () => {
      await composer(alice, room.title).press("a");
      expect(isParserLoaded()).toBe(true);
    }).toPass();
    await page.context().close();
  });

  test("of a channel formats its messages later if the Markdown parser could not be loaded at first", async ({
    browser,
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "First Failure", ["alice", "bob"]);
    const storageState = await signedInAs(await openAs("bob", null));
    const { page } = await openFirst(browser, { baseURL: url, storageState }, room);
    let failures = 0;
    await page.route(
      (address) => address.pathname.startsWith(STATIC) && address.pathname.endsWith(".js"),
      async (route) => {
        const name = nameOf(route.request());
        const fails = failures < 2 && haveParser(new Map([[name, 1]]));
        if (fails) failures++;
        await (fails ? route.abort() : route.fallback());
      },
    );
    await say(room, "alice", "A message with **formatting**");
    const row = messageRow(timeline(page, room.title), "A message with");
    await expect(row).toContainText("**formatting**");
    await expect(row.locator("strong")).toHaveText("formatting", { timeout: 30_000 });
    await page.context().close();
  });
});
