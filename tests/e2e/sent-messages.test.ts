import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { KEPT_COOKIE, SENT_HEADER } from "../../app/(demo)/_ui/kept-marks.ts";
import { type RecordingProxy, startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { boxOf } from "./support/box-of.ts";
import { channelLink, messageRow, sidebar, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

/** Returns the messages that came with the page, before its list has loaded. */
const sentLook = (page: Page) => page.locator("[data-sent-look]");

/** Makes the server treat the browser as one without stored messages. */
const forgetKept = (page: Page) => page.context().clearCookies({ name: KEPT_COOKIE });

/** Collects the paths of a page's requests for messages. */
function watchPosts(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith("/posts")) paths.push(pathname + search);
  });
  return paths;
}

test("the latest messages are readable before a script has loaded, and are not requested again", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Sent Room", ["alice", "bob"]);
  await say(room, "alice", "Some **weight** and @bob and :tada: and `<b>code</b>`");
  await say(room, "alice", "Said last");
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  const bob = await openAs("bob", null);
  await forgetKept(bob);
  await bob.routeWebSocket(/\/api\/chat\/websocket/, () => undefined);
  const asked = watchPosts(bob);
  const release = await holdScripts(bob);
  await bob.goto(`/chat/${room.id}`, { waitUntil: "commit" });
  await expect(sentLook(bob).getByText("Said last")).toBeVisible();
  await expect(sentLook(bob).locator("strong")).toHaveText("weight");
  await expect(sentLook(bob).getByText("<b>code</b>")).toBeVisible();
  await expect(sentLook(bob).getByText("🎉")).toBeVisible();
  await expect(sentLook(bob)).toHaveAttribute("aria-hidden", "true");
  await expect(sentLook(bob)).toHaveAttribute("inert");
  const before = (await boxOf(sentLook(bob).getByText("Said last"))).y;

  release();
  await waitForChannel(bob, room.title);
  const row = messageRow(timeline(bob, room.title), "Said last");
  await expect(row).toBeVisible();
  await expect(sentLook(bob)).toHaveCount(0);
  await expect(bob.getByText("Said last", { exact: true })).toHaveCount(1);
  // The message is where it was, or at most a line off.
  expect(Math.abs((await boxOf(row.getByText("Said last"))).y - before)).toBeLessThan(24);
  expect(asked).toEqual([]);
});

test("messages that the server sends with the page start at the first new one, as does the list afterwards", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Sent News", ["alice", "bob"]);
  await say(room, "alice", "Seen before");
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  for (let number = 1; number <= 25; number++) await say(room, "alice", `Unread ${number}`);
  const bob = await openAs("bob", null);
  await forgetKept(bob);
  const release = await holdScripts(bob);
  await bob.goto(`/chat/${room.id}`, { waitUntil: "commit" });
  await expect(sentLook(bob).getByText("Unread 1", { exact: true })).toBeInViewport();
  await expect(sentLook(bob).getByText("Unread 25", { exact: true })).not.toBeInViewport();
  release();
  await expect(bob.getByText(strings.timeline.newMessages, { exact: true })).toBeInViewport();
  await expect(timeline(bob, room.title).getByText("Unread 1", { exact: true })).toBeInViewport();
});

/** Counts the frames without a message on the screen after the first frame with one. */
function countEmptyFrames() {
  const counted = { frames: 0, empty: 0 };
  Reflect.set(window, "counted", counted);
  const isSeen = (post: Element) => {
    const { top, bottom } = post.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && getComputedStyle(post).visibility === "visible";
  };
  const look = () => {
    const posts = document.querySelectorAll(
      "kept-look > *, [data-sent-look] > * > *, [role=log] [data-post]",
    );
    const hasMessage = [...posts].some(isSeen);
    if (hasMessage) counted.frames += 1;
    else if (counted.frames > 0) counted.empty += 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

test("every frame after the first one with messages shows messages", async ({ openAs, url }) => {
  const room = await createRoom(url, "Framed Room", ["alice", "bob"]);
  for (let number = 1; number <= 40; number++)
    await say(room, "alice", `**Framed** message ${number} with a [link](https://example.org) and :tada:`);
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
  const bob = await openAs("bob", null, { showsLook: true });
  await bob.addInitScript(countEmptyFrames);
  const devtools = await bob.context().newCDPSession(bob);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const list = timeline(bob, room.title).getByRole("article");
  const framesOf = async (look: string) => {
    await bob.goto(`/chat/${room.id}`);
    await expect(list.last()).toBeVisible();
    await expect(bob.locator(look)).toHaveCount(0);
    const { frames, empty } = await bob.evaluate(() => Reflect.get(window, "counted"));
    expect(frames).toBeGreaterThan(0);
    return empty;
  };
  await forgetKept(bob);
  expect(await framesOf("[data-sent-look]")).toBe(0);
  await expect.poll(() => bob.evaluate(() => localStorage.getItem("hivegate.look"))).toContain("Framed");
  expect(await framesOf("kept-look")).toBe(0);
});

test("pages contain messages for browsers that store none, and only for the channel's readers", async ({
  openAs,
  request,
  url,
}) => {
  const room = await createRoom(url, "Secret Room", ["alice", "bob"], "P");
  await say(room, "alice", "For the two of us");
  const pageOf = async (name: string, keeps: boolean) => {
    const page = await openAs(name, null);
    if (!keeps) await forgetKept(page);
    const answer = await page.request.get(`/chat/${room.id}`);
    return { hasText: (await answer.text()).includes("For the two of us"), headers: answer.headers() };
  };
  const fresh = await pageOf("bob", false);
  expect([fresh.hasText, fresh.headers[SENT_HEADER]]).toEqual([true, "1"]);
  expect(fresh.headers["cache-control"]).toContain("no-store");
  const kept = await pageOf("bob", true);
  expect([kept.hasText, kept.headers[SENT_HEADER]]).toEqual([false, undefined]);
  expect((await pageOf("carol", false)).hasText).toBe(false);
  const named = { "x-sent-channel": room.id };
  expect(await (await request.get(`/chat/${room.id}`, { headers: named })).text()).not.toContain("of us");
});

test("the server reads no messages for a page that Next's router requests", async ({ openAs, url }) => {
  const room = await createRoom(url, "Routed Room", ["alice", "bob"]);
  await say(room, "alice", "Read by the page itself");
  const bob = await openAs("bob", "/settings");
  await forgetKept(bob);
  await bob.evaluate((path) => {
    const { fetch } = window;
    window.fetch = async (...asked) => {
      const answer = await fetch(...asked);
      if (new URL(answer.url).pathname === path) Reflect.set(window, "routed", answer.clone());
      return answer;
    };
    Reflect.get(window, "next").router.push(path);
  }, `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await expect(timeline(bob, room.title).getByText("Read by the page itself")).toBeVisible();
  const { headers, text } = await bob.evaluate(async () => {
    const routed: Response = Reflect.get(window, "routed");
    return { headers: Object.fromEntries(routed.headers), text: await routed.text() };
  });
  expect(headers["content-type"]).toBe("text/x-component");
  expect([headers.link, headers[SENT_HEADER]]).toEqual([undefined, undefined]);
  expect(text).not.toContain("Read by the page itself");
});

test("a browser that has shown the chat is marked as storing it until its user signs out", async ({
  browser,
  url,
}) => {
  // The test needs a sign-in of its own, because it signs out.
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  const isMarked = async () =>
    (await context.cookies(`${url}/chat`)).some(({ name }) => name === KEPT_COOKIE);
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("dave") }).click();
  await page.waitForURL(/\/chat\//);
  await expect.poll(isMarked).toBe(true);
  await page.getByRole("button", { name: strings.account.menu("dave") }).click();
  await page.getByRole("menuitem", { name: strings.account.signOut }).click();
  await expect.poll(isMarked).toBe(false);
  await context.close();
});

test.describe("with a service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("a page that was sent with messages is not stored", async ({ openAs, url }) => {
    const room = await createRoom(url, "Unstored Room", ["alice", "bob"]);
    await say(room, "alice", "In no stored page");
    const bob = await openAs("bob", "/settings");
    await expect.poll(() => bob.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await forgetKept(bob);
    await bob.goto(`/chat/${room.id}`);
    await waitForChannel(bob, room.title);
    /** Returns the stored pages of the chat by their form, which the worker fetches or gets from the server. */
    const stored = () =>
      bob.evaluate(async () => {
        const pages: Record<string, string> = {};
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys()) {
            const [, form = ""] =
              /^\/(document|component)\/chat\/./.exec(new URL(request.url).pathname) ?? [];
            if (form) pages[form] = (await (await cache.match(request))?.text()) ?? "";
          }
        }
        return pages;
      });
    expect(await stored()).not.toHaveProperty("document");
    await expect
      .poll(async () => (await bob.context().cookies(`${url}/chat`)).map(({ name }) => name))
      .toContain(KEPT_COOKIE);
    await bob.goto(`/chat/${room.id}`);
    await waitForChannel(bob, room.title);
    await expect.poll(stored).toHaveProperty("document");
    expect(JSON.stringify(await stored())).not.toContain("In no stored page");
  });
});

test("a page is sent without messages if Mattermost is late, and the next page does not ask Mattermost", async ({
  openAs,
}) => {
  let front: RecordingProxy | undefined;
  const server = await startOwnServer({}, async (mattermostUrl) => {
    front = await startRecordingProxy(mattermostUrl);
    return front.url;
  });
  try {
    const bob = await openAs("bob", "/chat", { url: server.url });
    const path = (await channelLink(bob, "Town Square").getAttribute("href")) ?? "";
    await forgetKept(bob);
    let hasComeBack = () => {};
    const until = new Promise<void>((resolve) => {
      hasComeBack = resolve;
    });
    let held = 0;
    front?.treat(({ path }) => {
      if (!/^\/channels\/\w+\/posts$/.test(path)) return "pass";
      held += 1;
      return { until };
    });
    await bob.goto(path);
    await expect(sidebar(bob)).toBeVisible();
    await expect(sentLook(bob)).toHaveCount(0);
    // The server's call for the page comes first, then the page's own.
    await expect.poll(() => held).toBeGreaterThanOrEqual(2);
    await forgetKept(bob);
    const before = held;
    expect((await bob.request.get(path)).headers()[SENT_HEADER]).toBe("1");
    expect(held).toBe(before);
    hasComeBack();
    await waitForChannel(bob, "Town Square");
  } finally {
    await server.close();
    await front?.close();
  }
});
