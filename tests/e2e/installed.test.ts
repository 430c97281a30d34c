import type { BrowserContext, Page } from "playwright/test";
import { texts as spanish } from "../../app/_languages/es/index.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as ui } from "../../app/(demo)/_ui/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { strings as payments } from "../../app/(demo)/payments/strings.en.ts";
import { strings as settings } from "../../app/(demo)/settings/strings.en.ts";
import { channelLink, composer, messageRow, sidebar, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test.use({ serviceWorkers: "allow" });

/** Stands for a channel's id in the pages that the worker stores for all channels. */
const ANY_CHANNEL = "anyhivegatechannelanywhere";
const anyChannel = { document: `/document/chat/${ANY_CHANNEL}`, component: `/component/chat/${ANY_CHANNEL}` };

/** Waits until the worker has stored the page and its offline texts. */
async function waitForWorker(page: Page): Promise<void> {
  const isReady = () =>
    page.evaluate(async () => {
      const isThere = navigator.serviceWorker.controller !== null;
      return isThere && (await caches.match("/offline-words")) !== undefined;
    });
  await expect.poll(isReady).toBe(true);
}

const keptPaths = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });

async function openWithWorker(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await waitForWorker(page);
  return page;
}

test("the pages can be installed, with a manifest in the reader's language and icons that exist", async ({
  page,
  request,
}) => {
  await page.goto("/");
  const address = (await page.locator('link[rel="manifest"]').getAttribute("href")) ?? "";
  const answer = await request.get(address, { headers: { "accept-language": "es" } });
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = await answer.json();
  expect(manifest).toMatchObject({ name: "Hivegate", start_url: "/chat", display: "standalone", lang: "es" });
  expect(manifest.shortcuts).toContainEqual(
    expect.objectContaining({ name: spanish.articles.title, url: "/articles" }),
  );
  const sizes = manifest.icons.map(({ sizes, purpose }: Record<string, string>) => [sizes, purpose]);
  expect(sizes).toEqual([
    ["192x192", undefined],
    ["512x512", undefined],
    ["512x512", "maskable"],
  ]);
  for (const { src, sizes } of manifest.icons) {
    const picture = await (await request.get(src)).body();
    // A PNG stores its width and height after the name of its first chunk.
    expect(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`).toBe(sizes);
  }
  const session = await page.context().newCDPSession(page);
  const { errors } = await session.send("Page.getAppManifest");
  expect(errors).toEqual([]);
});

// If a preloaded navigation fails, Firefox shows its own error page, whatever the worker answers.
test("the worker enables no navigation preload, so that it can answer while the server is unreachable", async ({
  context,
}) => {
  const page = await openWithWorker(context, "/");
  const isAhead = () =>
    page.evaluate(async () => {
      const { navigationPreload } = await navigator.serviceWorker.ready;
      return (await navigationPreload.getState()).enabled;
    });
  expect(await isAhead()).toBe(false);
});

test("while the server is unreachable, a page says so in its language and theme, and a button retries", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url, locale: "es-ES", colorScheme: "dark" });
  const page = await openWithWorker(context, "/");
  // If these requests succeeded, the page would return before the button is pressed.
  await context.route("**/api/health/live", (route) => route.abort());
  await context.setOffline(true);
  await page.goto("/articles");
  const { offline } = spanish.ui;
  await expect(page.getByRole("heading", { name: offline?.title ?? "" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
  await context.setOffline(false);
  await page.getByRole("link", { name: offline?.retry ?? "" }).click();
  await expect(page.getByRole("heading", { level: 1, name: spanish.articles.title ?? "" })).toBeVisible();
  await context.close();
});

test("the offline page looks like the others, and opens the requested address once the server answers", async ({
  browser,
  url,
}) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 360, height: 740 };
    const context = await browser.newContext({ baseURL: url, colorScheme, viewport });
    const page = await openWithWorker(context, "/");
    await context.setOffline(true);
    await page.goto("/payments?account=alice");
    await expect(page.getByRole("banner")).toHaveText("Hivegate");
    await expect(page.getByRole("heading", { level: 1, name: ui.offline.title })).toBeVisible();
    await expect(page.getByText(ui.offline.waits)).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await expectNothingSerious(page, `${colorScheme}, out of reach`);
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: payments.title })).toBeVisible();
    await expect(page).toHaveURL(/\/payments[?]account=alice$/);
    await context.close();
  }
});

test("the worker stores only static files, the offline texts and the chat, and fetches messages anew while online", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Kept Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await waitForWorker(alice);
  await alice.reload();
  await waitForChannel(alice, room.title);
  const kept = await keptPaths(alice);
  expect(kept.length).toBeGreaterThan(5);
  expect(
    kept.filter(
      (path) =>
        !/^\/_next\/static\/|^\/(offline-words|kept-chat|emoji\/short-names\.json)$|^\/(document|component)\/chat(\/anyhivegatechannelanywhere)?$/.test(
          path,
        ),
    ),
  ).toEqual([]);
  // Opens a page that was loaded before.
  await say(room, "bob", "Fresh from the server");
  await alice.goto(`/chat/${room.id}`);
  await expect(timeline(alice, room.title).getByText("Fresh from the server")).toBeVisible();
});

test("the worker stores the chat's page for its address, not the page that asks to sign in", async ({
  browser,
  url,
}) => {
  const room = await createRoom(url, "Kept After Sign-in", ["alice", "bob"]);
  const context = await browser.newContext({ baseURL: url });
  const page = await openWithWorker(context, `/chat/${room.id}`);
  await page.reload();
  await page.getByRole("button", { name: session.sandbox.signInAs("alice") }).click();
  await waitForChannel(page, room.title);
  expect(await keptPaths(page)).not.toContain(anyChannel.document);
  await expect.poll(() => keptPaths(page)).toContain("/kept-chat");
  await page.reload();
  await expect.poll(() => keptPaths(page)).toContain(anyChannel.document);
  await context.setOffline(true);
  await page.reload();
  await waitForChannel(page, room.title);
  await context.close();
});

test("the chat opens offline with the last read messages, and says that it is offline", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Offline Room", ["alice", "bob"]);
  await say(room, "bob", "Read before the tunnel");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await waitForWorker(alice);
  await alice.reload();
  await expect(alice.getByText("Read before the tunnel")).toBeVisible();
  const kept = () => alice.evaluate(async () => (await (await caches.match("/kept-chat"))?.text()) ?? "");
  await expect.poll(kept).toContain("Read before the tunnel");
  await alice.context().setOffline(true);
  await alice.goto(`/chat/${room.id}`);
  await expect(alice.getByText("Read before the tunnel")).toBeVisible();
  await expect(alice.getByText(chat.connection.offline)).toBeVisible();
  await alice.context().setOffline(false);
  await say(room, "bob", "Written meanwhile");
  await expect(timeline(alice, room.title).getByText("Written meanwhile")).toBeVisible();
});

/** Opens a channel and waits until it can be left for another without the server. */
async function openForOffline(page: Page, room: Room): Promise<void> {
  await page.goto(`/chat/${room.id}`);
  await waitForChannel(page, room.title);
  await waitForWorker(page);
  const kept = expect.arrayContaining([anyChannel.component, "/component/chat", "/kept-chat"]);
  await expect.poll(() => keptPaths(page)).toEqual(kept);
}

/** Marks a document, and returns a function that returns whether it is still open. */
async function markDocument(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => Object.assign(window, { isMarked: true }));
  return () => page.evaluate(() => Reflect.get(window, "isMarked") === true);
}

test("offline the chat stays when a channel is chosen that was never opened, which loads once online", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Read Room", ["alice", "bob"]);
  const other = await createRoom(url, "Unopened Room", ["alice", "bob"]);
  await say(room, "bob", "Read before the tunnel");
  const root = await say(other, "bob", "Waits behind the tunnel");
  const alice = await openAs("alice", null);
  await openForOffline(alice, room);
  const isSameDocument = await markDocument(alice);
  await composer(alice, room.title).fill("half a thought");
  await alice.context().setOffline(true);

  await channelLink(alice, other.title).click();
  await expect(alice.getByText(chat.timeline.failed)).toBeVisible();
  await expect(alice).toHaveURL(new RegExp(other.id));
  await expectNothingSerious(alice, "a channel that can't be loaded");
  await composer(alice, other.title).fill("another half");
  await channelLink(alice, room.title).click();
  await expect(timeline(alice, room.title).getByText("Read before the tunnel")).toBeVisible();
  await expect(composer(alice, room.title)).toHaveValue("half a thought");
  await channelLink(alice, other.title).click();
  await expect(composer(alice, other.title)).toHaveValue("another half");

  await alice.context().setOffline(false);
  await expect(messageRow(timeline(alice, other.title), root.message)).toBeVisible();
  await expect(alice.getByText(chat.timeline.failed)).toHaveCount(0);
  expect(await isSameDocument()).toBe(true);
});

test("offline on a phone the channel that was opened first leads back to the list, and reloads", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pocket Room", ["alice", "bob"]);
  const other = await createRoom(url, "Unopened Pocket Room", ["alice", "bob"]);
  const alice = await openAs("alice", null, { viewport: { width: 390, height: 844 } });
  await openForOffline(alice, room);
  await alice.reload();
  await expect.poll(() => keptPaths(alice)).toContain(anyChannel.document);
  const isSameDocument = await markDocument(alice);
  await alice.context().setOffline(true);
  await alice.getByRole("link", { name: chat.channel.back }).click();
  await channelLink(alice, other.title).click();
  await expect(alice.getByText(chat.timeline.failed)).toBeVisible();
  expect(await isSameDocument()).toBe(true);
  await alice.reload();
  await expect(alice.getByText(chat.timeline.failed)).toBeVisible();
  await alice.context().setOffline(false);
  await waitForChannel(alice, other.title);
});

test("after the sign-out the worker answers with no page of the chat", async ({ browser, url }) => {
  const room = await createRoom(url, "Left Room", ["alice"]);
  const context = await browser.newContext({ baseURL: url });
  const page = await openWithWorker(context, "/chat");
  await page.getByRole("button", { name: session.sandbox.signInAs("alice") }).click();
  await expect(sidebar(page)).toBeVisible();
  await openForOffline(page, room);
  await page.getByRole("button", { name: chat.account.menu("alice") }).click();
  await page.getByRole("menuitem", { name: chat.account.signOut }).click();
  await expect.poll(() => keptPaths(page)).not.toContain("/kept-chat");
  await context.setOffline(true);
  const isAnswered = (path: string) =>
    page.evaluate(
      (asked) =>
        fetch(asked, { headers: { rsc: "1" } }).then(
          () => true,
          () => false,
        ),
      path,
    );
  expect(await isAnswered("/chat")).toBe(false);
  expect(await isAnswered(`/chat/${room.id}`)).toBe(false);
  await page.goto(`/chat/${room.id}`);
  await expect(page.getByRole("heading", { name: ui.offline.title })).toBeVisible();
  await expect(sidebar(page)).toHaveCount(0);
  await context.close();
});

test("the worker of the next build takes over and deletes the caches of the previous one", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await openWithWorker(context, "/");
  await page.reload({ waitUntil: "networkidle" });
  const names = () => page.evaluate(() => caches.keys());
  const [before = ""] = (await names()).filter((name) => name.startsWith("hivegate-assets-"));
  expect(before).toMatch(/^hivegate-assets-.+/);
  await page.evaluate(() => navigator.serviceWorker.register("/sw.js?build=next"));
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL))
    .toMatch(/build=next$/);
  await expect.poll(names).not.toContain(before);
  await context.close();
});

test("a worker stores no page of the chat that another build sends", async ({ openAs }) => {
  const alice = await openAs("alice", null);
  await alice.goto("/settings", { waitUntil: "networkidle" });
  await waitForWorker(alice);
  await alice.evaluate(() => navigator.serviceWorker.register("/sw.js?build=next"));
  await expect
    .poll(() => alice.evaluate(() => navigator.serviceWorker.controller?.scriptURL))
    .toMatch(/build=next$/);
  const isAsked = alice
    .context()
    .waitForEvent("response", (response) =>
      Boolean(response.request().serviceWorker() && response.url().includes(ANY_CHANNEL)),
    );
  await alice.evaluate(() => fetch("/chat", { headers: { rsc: "1" } }).then((answer) => answer.text()));
  await (await isAsked).finished();
  const stored = await alice.evaluate(async () => {
    const requests = await (await caches.open("hivegate-assets-next")).keys();
    return requests.map(({ url }) => new URL(url).pathname);
  });
  expect(stored.filter((path) => path.startsWith("/component"))).toEqual([]);
});

test("the app's icon counts mentions, and on a phone the service worker shows them and opens them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Badge Room", ["erin", "bob"]);
  const own = await createRoom(url, "Quiet Room", ["erin"]);
  const root = await say(room, "erin", "Who counts along?");
  const erin = await openAs("erin", "/settings");
  // A page that loads while the worker takes over remains without a worker.
  await waitForWorker(erin);
  await erin.addInitScript(() => {
    const badges: number[] = [];
    const shown: unknown[] = [];
    Object.assign(window, { badges, shown });
    Object.assign(Navigator.prototype, {
      setAppBadge: async (count: number) => void badges.push(count),
      clearAppBadge: async () => void badges.push(0),
    });
    // A phone's browser does not allow this constructor.
    class Notification {
      static readonly permission = "granted";
      constructor() {
        throw new TypeError("Illegal constructor");
      }
    }
    Object.assign(window, { Notification });
    Object.assign(ServiceWorkerRegistration.prototype, {
      showNotification: async (title: string, { body, data }: NotificationOptions) =>
        void shown.push({ title, body, data }),
    });
    localStorage.setItem("hivegate.notifications", "on");
  });
  const isConnected = erin.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
  await erin.goto(`/chat/${own.id}`);
  await waitForChannel(erin, own.title);
  await waitForWorker(erin);
  // Earlier messages count, but notify no one.
  await isConnected;
  const badge = () => erin.evaluate(() => (window as unknown as { badges: number[] }).badges.at(-1));
  const shown = () => erin.evaluate(() => Reflect.get(window, "shown"));
  // The page counts once it knows all channels and threads.
  await expect.poll(badge).toBeDefined();
  const before = (await badge()) ?? 0;
  const post = await say(room, "bob", "@erin, look at your icon");
  await expect.poll(badge).toBe(before + 1);
  const path = `/chat/${room.id}?post=${post.id}`;
  const notification = { title: `@bob · ${room.title}`, body: "@erin, look at your icon", data: path };
  await expect.poll(shown).toEqual([notification]);
  await say(room, "bob", "@erin, and in the thread", root.id);
  await expect.poll(badge).toBe(before + 2);

  await erin.getByRole("button", { name: chat.account.menu("erin") }).click();
  await erin.getByRole("menuitem", { name: chat.account.articles }).click();
  await expect(erin.getByRole("heading", { level: 1, name: articles.title })).toBeVisible();
  expect(await badge()).toBe(before + 2);
  await erin.goBack();
  await waitForChannel(erin, own.title);
  const [worker] = erin.context().serviceWorkers();
  await worker?.evaluate((data) => {
    const press = new Event("notificationclick");
    const waitUntil = (done: Promise<unknown>) => void done.catch(() => {});
    dispatchEvent(Object.assign(press, { notification: { close() {}, data }, waitUntil }));
  }, path);
  await waitForChannel(erin, room.title);
});

test("the settings offer to install the app if the browser can", async ({ page }) => {
  await page.goto("/settings");
  await expect(page.getByText(settings.app.states.unknown)).toBeVisible();
  await page.evaluate(() => {
    const offer = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
      prompt: async () => Object.assign(window, { isAsked: true }),
    });
    window.dispatchEvent(offer);
    Object.assign(window, { isBarHeldBack: offer.defaultPrevented });
  });
  await page.getByRole("button", { name: settings.app.install }).click();
  expect(
    await page.evaluate(() => [Reflect.get(window, "isAsked"), Reflect.get(window, "isBarHeldBack")]),
  ).toEqual([true, true]);
  await expect(page.getByText(ui.offline.title)).toHaveCount(0);
});
