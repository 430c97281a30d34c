import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import {
  channelLink,
  chooseOnChannel,
  composer,
  messageRow,
  sidebar,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { fill, line } from "./support/mixed-messages.ts";
import { expect, test } from "./support/test.ts";
import { watchRequests } from "./support/watch-requests.ts";

test("on a phone a panel takes the button of the lost connection out of reach, but not its announcement", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Covered Tunnel Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 360, height: 740 } });
  await waitForChannel(alice, room.title);
  const note = alice.getByRole("status").filter({ hasText: strings.connection.offline });
  const retry = note.getByRole("button", { name: strings.connection.retry });
  await alice.context().setOffline(true);
  await retry.focus();
  await expect(retry).toBeFocused();
  await alice.context().setOffline(false);
  await expect(note).toBeHidden();

  await alice.getByRole("button", { name: strings.channel.search }).click();
  const search = alice.getByRole("dialog", { name: strings.search.title });
  await expect(search).toBeVisible();
  await alice.context().setOffline(true);
  await expect(note).toHaveCount(1);
  await expect(retry).toHaveJSProperty("inert", true);
  await retry.focus();
  await expect(retry).not.toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(search).toBeHidden();
  await retry.focus();
  await expect(retry).toBeFocused();
});

test("a slow first connection is not called lost, and nothing moves for it, until it has failed", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Slow Tunnel Room", ["alice"]);
  const alice = await openAs("alice", null);
  await alice.clock.install();
  await alice.routeWebSocket(/\/api\/chat\/websocket/, () => new Promise(() => undefined));
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const note = alice.getByRole("status").filter({ hasText: strings.connection.waiting });
  await alice.clock.runFor(5_000);
  await expect(note).toHaveCount(0);
  await alice.clock.runFor(15_000);
  await expect(note).toBeVisible();
});

test("without a connection the page says so and queues messages, and later sends them and catches up", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Tunnel Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await write(alice, room.title, "Entering the tunnel");
  await expect(messageRow(timeline(alice, room.title), "Entering the tunnel")).toBeVisible();

  await alice.context().setOffline(true);
  await expect(alice.getByRole("status").filter({ hasText: strings.connection.offline })).toBeVisible();
  await expectNothingSeriousInBothThemes(alice, "without a connection");
  await say(room, "bob", "Can you hear me?");
  const inTheDark = ["Written in the dark", "Also in the dark", "Still in the dark"];
  for (const text of inTheDark) await write(alice, room.title, text);
  await expect(alice.getByText(strings.message.waiting)).toHaveCount(inTheDark.length);
  await expect(alice.getByText(strings.message.notSent)).toBeHidden();

  await alice.context().setOffline(false);
  await expect(alice.getByText(strings.connection.offline)).toBeHidden();
  await expect(timeline(alice, room.title).getByText("Can you hear me?")).toBeVisible({ timeout: 90_000 });
  await expect(alice.getByText(strings.message.waiting)).toHaveCount(0);
  await expect(alice.getByText(strings.message.sending)).toHaveCount(0);
  await alice.reload();
  await expect(timeline(alice, room.title).getByText(/in the dark$/)).toHaveText(inTheDark);
});

/** Cuts a page's connection on demand. The next event while it is cut is dropped. */
async function leaveOutWhatIsPostedWhileCut(page: Page) {
  const opened: Array<{ isResumed: boolean; cut(): Promise<void> }> = [];
  let isOpen = true;
  let missed = "";
  await page.routeWebSocket(/\/api\/chat\/websocket/, async (socket) => {
    const server = socket.connectToServer();
    const cut = () => Promise.all([server.close(), socket.close()]).then(() => undefined);
    if (!isOpen) return cut();
    opened.push({ isResumed: new URL(socket.url()).searchParams.has("connection_id"), cut });
    let leftOut = 0;
    server.onMessage((text) => {
      const frame = JSON.parse(String(text));
      if (frame.event === "posted" && JSON.parse(frame.data.post).message === missed) leftOut += 1;
      else socket.send(frame.event ? JSON.stringify({ ...frame, seq: frame.seq - leftOut }) : text);
    });
  });
  return async (room: Room, text: string) => {
    isOpen = false;
    missed = text;
    await opened.at(-1)?.cut();
    await say(room, "bob", text);
    isOpen = true;
    await expect.poll(() => opened.at(-1)?.isResumed).toBe(true);
  };
}

test("the page fetches a message that a resumed connection left out", async ({ openAs, url }) => {
  const room = await createRoom(url, "Leaky Room", ["alice", "bob"]);
  const alice = await openAs("alice", null);
  const sayWhileCut = await leaveOutWhatIsPostedWhileCut(alice);
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await say(room, "bob", "On the first connection");
  await expect(messageRow(timeline(alice, room.title), "On the first connection")).toBeVisible();
  await sayWhileCut(room, "Between two connections");
  await expect(messageRow(timeline(alice, room.title), "Between two connections")).toBeVisible();
});

test("the page fetches messages missed by a resumed connection in an unread channel opened earlier", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Missed Room", ["alice", "bob"]);
  const other = await createRoom(url, "Other Room", ["alice", "bob"]);
  await say(room, "bob", "Before the cut");
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  const sayWhileCut = await leaveOutWhatIsPostedWhileCut(alice);
  await alice.goto(`/chat/${room.id}`);
  await expect(messageRow(timeline(alice, room.title), "Before the cut")).toBeVisible();
  await channelLink(alice, other.title).click();
  await waitForChannel(alice, other.title);
  await sayWhileCut(room, "While it was cut");
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.unread(1));
  await say(room, "bob", "After the cut");
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.unread(2));
  await channelLink(alice, room.title).click();
  for (const text of ["Before the cut", "While it was cut", "After the cut"])
    await expect(messageRow(timeline(alice, room.title), text)).toBeVisible();
});

test("the page fetches messages missed before the connection, even if older ones are requested just then", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Scrolled Room", ["alice", "bob"]);
  await fill(room, 0, 300);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  let connect = () => {};
  const isToConnect = new Promise<void>((resolve) => {
    connect = resolve;
  });
  await alice.routeWebSocket(/\/api\/chat\/websocket/, async (socket) => {
    await isToConnect;
    socket.connectToServer();
  });
  // The page refetches once it is idle after the connection. The reader scrolls at that very moment.
  await alice.addInitScript(() => {
    window.requestIdleCallback = (act) =>
      window.setTimeout(() => {
        act({ didTimeout: false, timeRemaining: () => 0 });
        if (!Reflect.has(window, "isScrolling")) return;
        const list = document.querySelector("[role=log]");
        if (list) list.scrollTop = 0;
        list?.dispatchEvent(new Event("scroll"));
      });
  });
  const older = () => alice.waitForRequest(/\/posts\?before=/).then((request) => request.response());
  const first = older();
  await alice.goto(`/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(line(list, 299)).toBeInViewport();
  await first;
  await alice.evaluate(() => Object.assign(window, { isScrolling: true }));
  await say(room, "bob", "Before the connection");
  const second = older();
  connect();
  await second;
  await list.focus();
  await expect
    .poll(async () => {
      await alice.keyboard.press("End");
      return messageRow(list, "Before the connection").isVisible();
    })
    .toBe(true);
});

test("a message that arrives during a refetch stays when older messages are fetched right after", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Overlapping Room", ["alice", "bob"]);
  await fill(room, 0, 60);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let readAgain = () => {};
  const isReadAgain = new Promise<void>((resolve) => {
    readAgain = resolve;
  });
  let latestReadings = 0;
  let olderReadings = 0;
  await alice.route(/\/posts\?.*before=/, async (route) => {
    await isReadAgain;
    await route.continue();
    olderReadings += 1;
  });
  await alice.route(/\/posts\?per_page=/, async (route) => {
    latestReadings += 1;
    if (latestReadings !== 2) return route.continue();
    const response = await route.fetch();
    readAgain();
    await isReleased;
    await route.fulfill({ response });
  });
  await alice.goto(`/chat/${room.id}`);
  await isReadAgain;
  await say(room, "bob", "Meanwhile");
  const list = timeline(alice, room.title);
  await expect(messageRow(list, "Meanwhile")).toBeInViewport();
  const before = olderReadings;
  release();
  await expect.poll(() => olderReadings).toBeGreaterThan(before);
  await alice.waitForLoadState("networkidle");
  await expect(messageRow(list, "Meanwhile")).toBeInViewport();
});

test("an open search and an open list of mentions are refetched on a resumed connection", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Searched Room", ["alice", "bob"]);
  await say(room, "bob", "A first quokka for @alice");
  const alice = await openAs("alice", null);
  let isCut = false;
  const opened: Array<{ isResumed: boolean; cut(): Promise<void> }> = [];
  await alice.routeWebSocket(/\/api\/chat\/websocket/, async (socket) => {
    const server = socket.connectToServer();
    const isResumed = new URL(socket.url()).searchParams.has("connection_id");
    const cut = () => Promise.all([server.close(), socket.close()]).then(() => undefined);
    if (isCut) await cut();
    else opened.push({ isResumed, cut });
  });
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  /** Writes a message while the connection is cut. The open room shows it, so it counts nowhere as unread. */
  const sayMeanwhile = async (text: string) => {
    const before = opened.length;
    isCut = true;
    await opened.at(-1)?.cut();
    await say(room, "bob", text);
    isCut = false;
    await expect.poll(() => opened.length).toBeGreaterThan(before);
    await expect(messageRow(timeline(alice, room.title), text)).toBeVisible();
  };

  await alice.keyboard.press("Control+Shift+F");
  await alice.getByRole("searchbox", { name: strings.search.label }).fill("quokka");
  const found = alice.getByRole("complementary", { name: strings.search.title }).getByRole("listitem");
  await expect(found).toHaveCount(1);
  await sayMeanwhile("A second quokka for @alice");
  await expect(found).toHaveCount(2);

  await sidebar(alice).getByRole("button", { name: strings.mentions.title }).click();
  const named = alice
    .getByRole("complementary", { name: strings.mentions.title })
    .getByRole("listitem")
    .filter({ hasText: room.title });
  await expect(named).toHaveCount(2);
  await sayMeanwhile("A third quokka for @alice");
  await expect(named).toHaveCount(3);
});

test("a message whose response was lost is found instead of posted again, even after a reload", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Lossy Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  let isDeaf = false;
  await alice.routeWebSocket(/\/api\/chat\/websocket/, (socket) => {
    const server = socket.connectToServer();
    // Drops events on request, because the event of a message would confirm it too.
    server.onMessage((text) => {
      if (!isDeaf) socket.send(text);
    });
  });
  await alice.reload();
  await waitForChannel(alice, room.title);
  await write(alice, room.title, "Before the loss");
  await expect(messageRow(timeline(alice, room.title), "Before the loss")).toBeVisible();

  const posts: string[] = [];
  let isReadable = true;
  await alice.route(/\/posts(\?|$)/, async (route) => {
    if (route.request().method() !== "POST") return isReadable ? route.continue() : route.abort();
    posts.push(route.request().postDataJSON().message);
    await route.fetch();
    await route.abort();
  });
  isDeaf = true;
  await write(alice, room.title, "Did this arrive?");
  await expect(messageRow(timeline(alice, room.title), "Did this arrive?")).toBeVisible();
  await expect(alice.getByText(strings.message.waiting)).toBeHidden();

  isReadable = false;
  await write(alice, room.title, "And this, over a reload?");
  await expect(alice.getByText(strings.message.waiting)).toBeVisible();
  isReadable = true;
  isDeaf = false;
  await alice.reload();
  for (const text of ["Did this arrive?", "And this, over a reload?"])
    await expect(messageRow(timeline(alice, room.title), text)).toHaveCount(1);
  await expect(alice.getByText(strings.message.waiting)).toBeHidden();
  expect(posts).toEqual(["Did this arrive?", "And this, over a reload?"]);
});

test("a refused message shows the reason, and can be discarded or sent again", async ({ openAs, url }) => {
  const room = await createRoom(url, "Refusing Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.route("**/posts", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 403, json: { error: "Not in here.", code: "forbidden" } })
      : route.continue(),
  );
  await write(alice, room.title, "Let me in");
  await write(alice, room.title, "Or not");
  const { forbidden = "" } = session.problems;
  const refused = (text: string) => alice.getByRole("alert").filter({ hasText: text });
  await expect(refused(forbidden)).toHaveCount(2);
  await alice.reload();
  await expect(refused(forbidden)).toHaveCount(2);
  await refused(forbidden).last().getByRole("button", { name: strings.message.discard }).click();
  await expect(alice.getByText("Or not")).toBeHidden();
  await alice.unroute("**/posts");
  await alice.getByRole("button", { name: strings.message.retry }).click();
  await expect(messageRow(timeline(alice, room.title), "Let me in")).toBeVisible();
  await expect(refused(forbidden)).toHaveCount(0);
});

test("a tab opens one websocket, and sends no requests while nothing happens", async ({ openAs, url }) => {
  const room = await createRoom(url, "Quiet Room", ["alice", "bob"]);
  const alice = await openAs("alice", null);
  await alice.clock.install();
  const open = watchRequests(alice);
  const sockets: string[] = [];
  alice.on("websocket", (socket) => sockets.push(socket.url()));
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await say(room, "bob", "Settle down first");
  await expect(timeline(alice, room.title).getByText("Settle down first")).toBeVisible();
  // The mark for that message is sent within two seconds of the last mark. Preloaded parts of the page load
  // after it.
  let requests: string[] = [];
  alice.on("request", (request) => requests.push(request.url()));
  const settle = async () => {
    requests = [];
    await alice.clock.runFor(3_000);
    await open.toEnd();
    return requests;
  };
  await expect.poll(settle).toEqual([]);

  // Twelve seconds are longer than any sensible polling interval in a chat.
  for (let second = 0; second < 12; second++) await alice.clock.runFor(1_000);
  expect(requests).toEqual([]);
  await channelLink(alice, "Town Square").click();
  await waitForChannel(alice, "Town Square");
  expect(sockets.filter((address) => address.includes("/api/chat/websocket"))).toHaveLength(1);
});

test("marking a channel as read costs one request", async ({ openAs, url }) => {
  const room = await createRoom(url, "Frugal Room", ["alice", "erin"]);
  const erin = await openAs("erin", null);
  await erin.clock.install();
  const open = watchRequests(erin);
  await erin.goto(`/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await erin.clock.runFor(3_000);
  await open.toEnd();
  const requests: string[] = [];
  erin.on("request", (request) => {
    // Pictures of people seen for the first time don't count.
    if (request.url().includes("/api/") && request.resourceType() !== "image")
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await composer(erin, room.title).click();
  await say(room, "alice", "Read this");
  await expect(timeline(erin, room.title).getByText("Read this")).toBeVisible();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  await erin.clock.runFor(3_000);
  await open.toEnd();
  expect(requests).toEqual([`POST /api/chat/channels/${room.id}/view`]);
});

test("marking as read is retried after a failure while the reader is still there", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Stubborn Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await composer(erin, room.title).click();
  const marks: number[] = [];
  await erin.route("**/view", async (route) => {
    marks.push(marks.length);
    if (marks.length > 1) return route.continue();
    await route.fulfill({
      status: 502,
      json: { error: "Away.", code: "backend_unreachable", requestId: "request-11" },
    });
  });
  await say(room, "alice", "Read this all the same");
  await expect(timeline(erin, room.title).getByText("Read this all the same")).toBeVisible();
  await expect.poll(() => marks.length).toBeGreaterThan(1);
  const ask = async (path: string) =>
    room.people.get("erin")?.mattermost("GET", `/channels/${room.id}${path}`);
  const lastPostAt = (await ask(""))?.last_post_at;
  const viewedAt = async () => (await ask("/members/me"))?.last_viewed_at;
  await expect.poll(viewedAt).toBeGreaterThanOrEqual(lastPostAt);
});

test("a message that arrives while a mark as read is pending is marked afterwards", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Overtaken Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await composer(erin, room.title).click();
  let marks = 0;
  let isDone = false;
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await erin.route("**/view", async (route) => {
    marks += 1;
    if (marks > 1) return route.continue();
    const response = await route.fetch();
    isDone = true;
    await isReleased;
    await route.fulfill({ response });
  });
  await say(room, "alice", "Read before");
  // Without this wait, the mark might include the next message.
  await expect.poll(() => isDone).toBe(true);
  await say(room, "alice", "Come meanwhile");
  await expect(timeline(erin, room.title).getByText("Come meanwhile")).toBeVisible();
  release();
  await expect.poll(() => marks).toBeGreaterThan(1);
  const unread = async () =>
    (await room.people.get("erin")?.chat("GET", "/channels"))?.channels.find(
      ({ id }: { id: string }) => id === room.id,
    )?.message_count;
  await expect.poll(unread).toBe(0);
});

test("a message that arrives between a mark as read and its answer counts as unread", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Counted Room", ["alice", "erin"]);
  const other = await createRoom(url, "Present Room", ["erin"]);
  const erin = await openAs("erin", `/chat/${other.id}`);
  await waitForChannel(erin, other.title);
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isDone = false;
  await erin.route(`**/channels/${room.id}/view`, async (route) => {
    const response = await route.fetch();
    isDone = true;
    await isReleased;
    await route.fulfill({ response });
  });
  await say(room, "alice", "One");
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(1));
  const answer = erin.waitForResponse(`**/channels/${room.id}/view`);
  await chooseOnChannel(erin, room.title, strings.channel.markRead);
  await expect(channelLink(erin, room.title)).not.toContainText(strings.sidebar.unread(1));
  await expect.poll(() => isDone).toBe(true);
  await say(room, "alice", "Two");
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(1));
  release();
  await (await answer).finished();
  await say(room, "alice", "Three");
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(2));
});
