import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { type RecordingProxy, startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { createApiPerson } from "./support/api-person.ts";
import {
  channelLink,
  chooseOnMessage,
  messageRow,
  sidebar,
  threadPanel,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { type OwnServer, startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

let front: RecordingProxy;
let server: OwnServer;
test.beforeAll(async () => {
  // This Mattermost lets users turn on collapsed threads, which are off by default.
  const config = JSON.stringify({ CollapsedThreads: "default_off" });
  server = await startOwnServer({}, async (mattermostUrl) => {
    front = await startRecordingProxy(mattermostUrl);
    front.treat(({ path }) => (path === "/config/client" ? { status: 200, text: config } : "pass"));
    return front.url;
  });
});
test.afterAll(async () => {
  await server.close();
  await front.close();
});

/** Creates a public channel as alice, with erin as a member. */
async function openChannel(title: string) {
  const [alice, erin] = [
    await createApiPerson(server.url, "alice", server.mattermostUrl),
    await createApiPerson(server.url, "erin", server.mattermostUrl),
  ];
  const { id } = await alice.mattermost("POST", "/channels", {
    team_id: server.teamId,
    name: title.toLowerCase().replace(" ", "-"),
    display_name: title,
    type: "O",
  });
  await alice.mattermost("POST", `/channels/${id}/members`, { user_id: erin.userId });
  return { alice, erin, id: id as string };
}

/** Holds the inbox, whose answer contains the reader's thread setting, until it is released. */
async function holdInbox(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/chat/threads?*", async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

test("a reply counts in its channel until the reader turns on collapsed threads", async ({ openAs }) => {
  const title = "Plain Replies";
  const { alice, erin, id } = await openChannel(title);
  const { post: root } = await erin.chat("POST", `/channels/${id}/posts`, { message: "A question" });
  const reply = (message: string) =>
    alice.chat("POST", `/channels/${id}/posts`, { message, rootId: root.id });
  const { channels } = await erin.chat("GET", "/channels");
  const aside = channels.find(
    (channel: { type: string; id: string }) => channel.type === "O" && channel.id !== id,
  );
  const page = await openAs("erin", "/chat", { url: server.url });
  const row = sidebar(page).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
  const link = channelLink(page, title);
  const { unread } = strings.sidebar;
  const choice = { user_id: erin.userId, category: "display_settings", name: "collapsed_reply_threads" };

  // The inbox answers with this reader's setting only once `release` is called.
  const release = await holdInbox(page);
  await page.goto(`/chat/${aside.id}`);
  await waitForChannel(page, aside.display_name);
  await reply("One answer");
  await expect(link).toContainText(unread(1));
  release();
  await page.waitForResponse("**/api/chat/threads?*");
  await reply("Two answers, @erin");
  await expect(link).toContainText(unread(2));
  await expect(row).toBeHidden();
  await page.reload();
  await waitForChannel(page, aside.display_name);
  await expect(link).toContainText(unread(2));
  await expect(row).toBeHidden();

  await erin.mattermost("PUT", "/users/me/preferences", [{ ...choice, value: "on" }]);
  await expect(row).toContainText(strings.threads.unread(1));
  await expect(link).not.toContainText(unread(2));
  await reply("Three answers");
  await expect(link).not.toContainText(unread(1));
  await erin.mattermost("POST", "/users/me/preferences/delete", [{ ...choice, value: "on" }]);
  await expect(row).toBeHidden();
  await expect(link).toContainText(unread(3));
});

test("without collapsed threads, unread replies are below the unread line until they are seen", async ({
  openAs,
}) => {
  const title = "Late Replies";
  const { alice, erin, id } = await openChannel(title);
  const { post: root } = await alice.chat("POST", `/channels/${id}/posts`, { message: "The question" });
  for (let number = 1; number <= 25; number++)
    await alice.chat("POST", `/channels/${id}/posts`, { message: `Seen message ${number}` });
  await erin.chat("POST", `/channels/${id}/view`, {});
  for (let number = 1; number <= 25; number++)
    await alice.chat("POST", `/channels/${id}/posts`, { message: `New reply ${number}.`, rootId: root.id });

  const page = await openAs("erin", null, { url: server.url });
  // The inbox, which contains the reader's thread setting, may arrive late.
  const release = await holdInbox(page);
  await page.goto(`/chat/${id}`);
  const log = timeline(page, title);
  await expect(log).toBeVisible();
  await expect(channelLink(page, title)).toContainText(strings.sidebar.unread(25));
  release();
  const first = messageRow(log, "New reply 1.");
  await expect(log.getByText(strings.timeline.newMessages)).toBeInViewport();
  await expect(first).toBeInViewport();
  await expect(messageRow(log, "New reply 25.")).not.toBeInViewport();
  await expect(channelLink(page, title)).toContainText(strings.sidebar.unread(25));
  const replied = strings.message.repliedTo("alice", "The question");
  await first.getByRole("button", { name: replied }).click();
  await expect(threadPanel(page)).toContainText("New reply 25.");
  await page.keyboard.press("Escape");
  await log.focus();
  await page.keyboard.press("End");
  await expect(messageRow(log, "New reply 25.")).toBeInViewport();
  await expect(channelLink(page, title)).not.toContainText(/\d+ unread/);

  await chooseOnMessage(page, messageRow(log, "New reply 24."), strings.message.markUnread);
  await expect(channelLink(page, title)).toContainText(strings.sidebar.unread(2));
});
