import type { APIResponse, Page, Request } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { channelLink, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { expect, test } from "./support/test.ts";

/** Records the gateway calls of a page, by path and query. */
function watchCalls(page: Page): { paths: string[]; requests: Request[] } {
  const watched = { paths: [] as string[], requests: [] as Request[] };
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith("/api/")) return;
    watched.paths.push(pathname + search);
    watched.requests.push(request);
  });
  return watched;
}

const openingOf = (channelId: string) => [
  "/api/chat/me",
  "/api/chat/channels",
  `/api/chat/channels/${channelId}/posts?per_page=40`,
];

test("a chat page requests the user, the channels and the messages before its scripts load", async ({
  openAs,
  browser,
  url,
}) => {
  const room = await createRoom(url, "Early Opening", ["alice", "bob"]);
  await say(room, "alice", "Said before the opening");
  const signedIn = await openAs("bob", null);
  // A new browser context has not loaded the formatter that the message needs.
  const context = await browser.newContext({
    storageState: await signedIn.context().storageState(),
    baseURL: url,
  });
  const bob = await context.newPage();
  const { paths } = watchCalls(bob);
  const release = await holdScripts(bob);
  await bob.goto(`/chat/${room.id}`, { waitUntil: "commit" });
  await expect.poll(() => [...paths].sort()).toEqual(openingOf(room.id).sort());
  release();
  await waitForChannel(bob, room.title);
  await expect(bob.getByText("Said before the opening")).toBeVisible();
  await context.close();
});

test("a chat page requests its data once, including the posts around a linked one", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Linked Opening", ["alice", "bob"]);
  const { id: linked } = await say(room, "alice", "Linked to");
  const bob = await openAs("bob", null);
  await bob.routeWebSocket(/\/api\/chat\/websocket/, () => undefined);
  const { paths } = watchCalls(bob);
  await bob.goto(`/chat/${room.id}?post=${linked}`);
  await waitForChannel(bob, room.title);
  await expect(bob.getByText("Linked to", { exact: true })).toBeVisible();
  const around = `/api/chat/channels/${room.id}/posts?around=${linked}&per_page=100`;
  for (const path of ["/api/chat/me", "/api/chat/channels", around])
    expect(paths.filter((asked) => asked === path)).toEqual([path]);
});

test("a chat page with 30 or 60 unread uses the messages requested early, and requests only older ones", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Unread Opening", ["alice", "bob"]);
  await say(room, "alice", "Seen before");
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  const bob = await openAs("bob", null);
  // Stored messages would be shown first and stay in view.
  await denyKeeping(bob);
  await bob.routeWebSocket(/\/api\/chat\/websocket/, () => undefined);
  const early = openingOf(room.id)[2];
  const askedFor = async () => {
    await bob.goto("/settings");
    const { paths } = watchCalls(bob);
    await bob.goto(`/chat/${room.id}`);
    await waitForChannel(bob, room.title);
    await expect(bob.getByText(strings.timeline.newMessages, { exact: true })).toBeInViewport();
    return paths.filter((path) => path.includes("/posts?"));
  };
  for (let number = 1; number <= 30; number++) await say(room, "alice", `Unread ${number}`);
  expect(await askedFor()).toEqual([early]);

  for (let number = 31; number <= 60; number++) await say(room, "alice", `Unread ${number}`);
  const rest = expect.stringMatching(/\/posts\?before=[a-z0-9]{26}&per_page=100$/);
  expect(await askedFor()).toEqual([early, rest]);
});

test("a chat page's Link header preloads the data of the first screen, for signed-in users only", async ({
  openAs,
  request,
  url,
}) => {
  const room = await createRoom(url, "Headed Opening", ["bob"]);
  const bob = await openAs("bob", null);
  const asked = (answer: APIResponse) =>
    [...(answer.headers().link ?? "").matchAll(/<(\/api\/[^>]+)>; rel=preload; as=fetch/g)].map(
      ([, path]) => path,
    );
  expect(asked(await bob.request.get(`/chat/${room.id}`))).toEqual(openingOf(room.id));
  expect(asked(await bob.request.get("/articles"))).toEqual([]);
  expect(asked(await request.get(`/chat/${room.id}`))).toEqual([]);
});

test("a chat page requests nothing early for a signed-out user", async ({ page }) => {
  const { paths } = watchCalls(page);
  const release = await holdScripts(page);
  await page.goto("/chat", { waitUntil: "domcontentloaded" });
  expect(await page.locator("main, [aria-busy]").count()).toBeGreaterThan(0);
  expect(paths).toEqual([]);
  release();
});

test("a chat page requests the data again after an early refusal", async ({ openAs, url }) => {
  const room = await createRoom(url, "Refused Opening", ["alice", "bob"]);
  await say(room, "alice", "Said before the refusal");
  const bob = await openAs("bob", null);
  await bob.route("**/api/chat/channels", (route) => route.fulfill({ status: 502, json: {} }), { times: 1 });
  await bob.goto(`/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await expect(bob.getByText("Said before the refusal")).toBeVisible();
});

/** Returns the chat data that a device stores, as one text. */
const keptOn = (page: Page) =>
  page.evaluate(async () => {
    const isKept = (await caches.keys()).includes("hivegate-chat");
    const kept = isKept ? await (await caches.open("hivegate-chat")).match("/kept-chat") : undefined;
    return (await kept?.text()) ?? "";
  });

/** Makes a browser refuse to store anything. */
const denyKeeping = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(window, "caches", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });

/** Holds the API's answers to a page until they are released. */
async function holdAnswers(page: Page): Promise<() => void> {
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/api/chat/**", async (route) => {
    await isLetGo;
    await route.continue();
  });
  return letGo;
}

test("the chat shows stored messages until the answers arrive, and marks none of them as read", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Kept Room", ["alice", "bob"]);
  for (let number = 1; number <= 30; number++) await say(room, "alice", `Kept message ${number}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect(bob.getByText("Kept message 30")).toBeAttached();
  await expect.poll(() => keptOn(bob)).toContain("Kept message 30");
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  await bob.goto("/settings");
  for (let number = 1; number <= 60; number++) await say(room, "alice", `Later message ${number}`);

  const { paths } = watchCalls(bob);
  const letGo = await holdAnswers(bob);
  await bob.goto(`/chat/${room.id}`);
  const last = bob.getByText("Kept message 30");
  await expect(last).toBeVisible();
  await expect(bob.getByText("Later message 1", { exact: true })).toBeHidden();
  const before = await boxOf(last);
  letGo();
  await expect(bob.getByText("Later message 1", { exact: true })).toBeAttached();
  await expect(bob.getByRole("button", { name: /60/ }).first()).toBeVisible();
  expect((await boxOf(last)).y).toBeCloseTo(before.y, 0);
  expect(paths.filter((path) => path.endsWith("/view"))).toEqual([]);
  const list = await room.people.get("bob")?.chat("GET", "/channels");
  expect(list.channels.find(({ id }: { id: string }) => id === room.id).message_count).toBe(60);
});

test("the chat refetches a stored channel when it is opened, even after events about it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Kept Away", ["alice", "bob"]);
  const other = await createRoom(url, "Kept Beside", ["bob"]);
  await say(room, "alice", "Kept on the device");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect.poll(() => keptOn(bob)).toContain("Kept on the device");
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`);
  await bob.goto("/settings");
  await say(room, "alice", "Said meanwhile");
  await bob.goto(`/chat/${other.id}`);
  await waitForChannel(bob, other.title);
  await expect(channelLink(bob, room.title)).toContainText(strings.sidebar.unread(1));
  await say(room, "alice", "Said to the open page");
  await expect(channelLink(bob, room.title)).toContainText(strings.sidebar.unread(2));
  await channelLink(bob, room.title).click();
  for (const text of ["Kept on the device", "Said meanwhile", "Said to the open page"])
    await expect(timeline(bob, room.title).getByText(text)).toBeVisible();
});

/** Returns the stored look of the last channel. */
const lookOn = (page: Page) => page.evaluate(() => localStorage.getItem("hivegate.look") ?? "");

test("the chat shows the last channel as it looked before any script loads, and keeps the place afterwards", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Painted Room", ["alice", "bob"]);
  for (let number = 1; number <= 30; number++) await say(room, "alice", `Painted **message** ${number}`);
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  const bob = await openAs("bob", `/chat/${room.id}`, { showsLook: true });
  const last = bob.getByText("Painted message 30");
  await expect.poll(() => lookOn(bob)).toContain("</strong> 30");
  const before = await boxOf(last);
  const release = await holdScripts(bob);
  await bob.goto(`/chat/${room.id}`, { waitUntil: "commit" });
  await expect(last).toBeVisible();
  expect(await bob.getByRole("log").count()).toBe(0);
  expect((await boxOf(last)).y).toBeCloseTo(before.y, 0);
  release();
  await waitForChannel(bob, room.title);
  await expect(bob.locator("kept-look")).toHaveCount(0);
  expect((await boxOf(last)).y).toBeCloseTo(before.y, 0);
});

test("the chat shows the stored look only to its user at its address, and stores none after a sign-out", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await page.waitForURL(/\/chat\//);
  await expect.poll(() => lookOn(page)).toContain("html");
  const own = page.url();
  const other = await context.newPage();
  for (const [person, address] of [
    ["dave", own],
    ["carol", `${url}/chat/${"a".repeat(26)}`],
    ["carol", `${own}?post=${"a".repeat(26)}`],
  ] as const) {
    const release = await holdScripts(other);
    await page.evaluate((name) => localStorage.setItem("hivegate.person", name), person);
    await other.goto(address, { waitUntil: "domcontentloaded" });
    // The script that would show the look sends its requests first.
    await other.waitForFunction(() => "hivegateEarly" in window);
    await expect(other.locator("kept-look")).toHaveCount(0);
    release();
  }
  await page.evaluate(() => localStorage.setItem("hivegate.person", "carol"));
  await page.reload();
  await page.getByRole("button", { name: strings.account.menu("carol") }).click();
  await page.getByRole("menuitem", { name: strings.account.signOut }).click();
  await page.waitForURL((address) => !address.pathname.startsWith("/chat/"));
  await expect.poll(() => lookOn(other)).toBe("");
  await context.close();
});

test("the chat replaces stored messages with the answer, and drops those deleted meanwhile", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Changed Room", ["alice", "bob"]);
  const { id } = await say(room, "alice", "Deleted meanwhile");
  await say(room, "alice", "Stays there");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect.poll(() => keptOn(bob)).toContain("Stays there");
  await bob.goto("/settings");
  await room.people.get("alice")?.chat("DELETE", `/channels/${room.id}/posts/${id}`);
  const letGo = await holdAnswers(bob);
  await bob.goto(`/chat/${room.id}`);
  await expect(bob.getByText("Deleted meanwhile")).toBeVisible();
  letGo();
  await expect(bob.getByText("Deleted meanwhile")).toBeHidden();
  await expect(bob.getByText("Stays there")).toBeVisible();
});

test("the chat shows stored messages while the server is unreachable, and a sign-out deletes them", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await page.waitForURL(/\/chat\//);
  // The channels are stored before the messages of any of them.
  await expect.poll(() => keptOn(page)).toContain('"posts":[{');
  await page.route("**/api/chat/**", (route) => route.abort());
  await page.reload();
  await expect(page.locator("[data-post]").first()).toBeVisible();
  await page.unroute("**/api/chat/**");

  const other = await context.newPage();
  await other.goto("/settings");
  await page.getByRole("button", { name: strings.account.menu("carol") }).click();
  await page.getByRole("menuitem", { name: strings.account.signOut }).click();
  await expect.poll(() => keptOn(other)).toBe("");
  await context.close();
});

test("the chat deletes a stored channel as soon as its reader has left it or is refused", async ({
  openAs,
  url,
}) => {
  const left = await createRoom(url, "Left Room", ["alice", "bob"]);
  await say(left, "alice", "Said in the left room");
  const closed = await createRoom(url, "Closed Room", ["alice", "bob"], "P");
  await say(closed, "alice", "Said in the closed room");
  const bob = await openAs("bob", `/chat/${left.id}`);
  await expect.poll(() => keptOn(bob)).toContain("Said in the left room");
  await bob.goto(`/chat/${closed.id}`);
  await expect.poll(() => keptOn(bob)).toContain("Said in the closed room");
  // While the clock stands still, the page stores nothing more.
  await bob.clock.install();
  const connected = new Promise((resolve) => {
    bob.once("websocket", (socket) => socket.once("framereceived", resolve));
  });
  await bob.goto(`/chat/${closed.id}`);
  await waitForChannel(bob, closed.title);
  // The stored channel may be shown before the connection that reports the departure is open.
  await connected;
  await bob.clock.pauseAt(Date.now() + 3_600_000);
  await left.people.get("bob")?.chat("POST", `/channels/${left.id}/leave`, {});
  await expect.poll(() => keptOn(bob)).not.toContain("Said in the left room");
  await bob.clock.resume();
  await expect.poll(() => keptOn(bob)).toContain("Said in the closed room");

  await bob.routeWebSocket(/\/api\/chat\/websocket/, () => undefined);
  await bob.route(/\/posts/, (route) =>
    route.fulfill({ status: 403, json: { error: "forbidden", code: "forbidden" } }),
  );
  await bob.goto(`/chat/${closed.id}`);
  await expect(bob.getByText("Said in the closed room")).toBeHidden();
  await expect.poll(() => keptOn(bob)).not.toContain("Said in the closed room");
});

test("the chat works in browsers that store nothing", async ({ openAs, url }) => {
  const room = await createRoom(url, "Forgetful Room", ["alice", "bob"]);
  await say(room, "alice", "Not kept");
  const bob = await openAs("bob", null);
  await denyKeeping(bob);
  await bob.goto(`/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await expect(bob.getByText("Not kept")).toBeVisible();
});

test("placeholders stay still for a second before they pulse", async ({ openAs, url }) => {
  const room = await createRoom(url, "Resting Shapes", ["alice"]);
  const page = await openAs("alice", null);
  await page.route("**/api/chat/me", () => new Promise(() => undefined));
  await page.goto(`/chat/${room.id}`);
  const shape = page.locator(".animate-pulse:visible").first();
  await expect(shape).toHaveCSS("animation-name", "pulse");
  await expect(shape).toHaveCSS("animation-delay", "1s");
});
