import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings } from "../../app/(demo)/settings/strings.en.ts";
import { formAccessToken } from "../harness/form-access-token.ts";
import { boxOf } from "./support/box-of.ts";
import { messageRow, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("the account's menu leads to the settings, which are saved and followed by other tabs", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Dense Room", ["alice", "bob"]);
  await say(room, "bob", "How much room do I take?");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "How much room");
  await expect(row).toBeVisible();
  const roomy = (await boxOf(row)).height;
  await alice.getByRole("button", { name: chat.account.menu("alice") }).click();
  await alice.getByRole("menuitem", { name: chat.account.settings }).click();
  await expect(alice.getByRole("heading", { level: 1, name: strings.title })).toBeVisible();
  await alice.getByText(strings.theme.names.dark, { exact: true }).click();
  await expect(alice.locator("html")).toHaveClass(/dark/);
  await expectNothingSerious(alice, "settings, dark");
  await alice.getByText(strings.theme.names.light, { exact: true }).click();
  await expectNothingSerious(alice, "settings, light");
  await alice.getByText(strings.density.names.compact, { exact: true }).click();
  await alice.reload();
  await expect(alice.getByRole("radio", { name: strings.density.names.compact })).toBeChecked();
  const second = await alice.context().newPage();
  await second.goto("/");
  await second.getByRole("contentinfo").getByRole("link", { name: strings.title }).click();
  await second.getByText(strings.density.names.roomy, { exact: true }).click();
  await second.getByText(strings.previews.names.off, { exact: true }).click();
  await expect(alice.getByRole("radio", { name: strings.density.names.roomy })).toBeChecked();
  await expect(alice.getByRole("radio", { name: strings.previews.names.off })).toBeChecked();
  await expect(alice.getByRole("radio", { name: strings.theme.names.light })).toBeChecked();
  await alice.goto(`/chat/${room.id}`);
  await expect(row).toBeVisible();
  await second.getByText(strings.density.names.compact, { exact: true }).click();
  await expect.poll(async () => (await boxOf(row)).height).toBeLessThan(roomy - 4);
});

test("the settings show the state of notifications, and contain the payment limits", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  // Headless browsers show no notifications, and some of them deny a granted permission.
  await page.addInitScript(() => {
    let permission: NotificationPermission = "default";
    const requestPermission = async () => {
      permission = "granted";
      return permission;
    };
    Object.defineProperties(Notification, {
      permission: { get: () => permission },
      requestPermission: { value: requestPermission },
    });
  });
  await page.goto("/settings");
  await expect(page.getByText(strings.notifications.states.off)).toBeVisible();
  await page.getByRole("button", { name: strings.notifications.turnOn }).click();
  await expect(page.getByText(strings.notifications.states.on)).toBeVisible();
  await page.getByRole("button", { name: strings.notifications.turnOff }).click();
  await expect(page.getByText(strings.notifications.states.off)).toBeVisible();
  await page.getByText(pay.guard.change).click();
  await expect(page.getByLabel(pay.guard.perPayment)).toBeVisible();

  // Removes the interface for notifications, as on an iPhone outside the installed app.
  const bare = await context.newPage();
  await bare.addInitScript(() => Reflect.deleteProperty(window, "Notification"));
  await bare.goto("/settings");
  await expect(bare.getByText(strings.notifications.states.missing)).toBeVisible();
  await expect(bare.getByRole("button", { name: strings.notifications.turnOn })).toHaveCount(0);
  await context.close();
});

test("pages have Open Graph tags with their title and a picture at an absolute address", async ({
  page,
  url,
}) => {
  await page.goto("/");
  const tag = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute("content");
  expect(await tag("title")).toBe("Hivegate");
  expect(await tag("site_name")).toBe("Hivegate");
  expect(await tag("description")).toContain("Hive");
  const picture = await tag("image");
  expect(picture).toMatch(/^https?:\/\/[^/]+\/pictures\/[\w-]+\.png/);
  const answer = await page.request.get(`${url}${new URL(picture ?? "").pathname}`);
  expect(answer.headers()["content-type"]).toBe("image/png");
  await page.goto("/articles");
  expect(await tag("title")).toBe("Articles · Hivegate");
  expect(new URL((await tag("url")) ?? "").pathname).toBe("/articles");
  const { articles } = await (await page.request.get("/api/demo/articles")).json();
  const { slug, title, teaser, price } = articles[1];
  await page.goto(`/articles/${slug}`);
  expect(await tag("title")).toBe(`${title} · Hivegate`);
  expect(await tag("description")).toBe(`${teaser} (${price})`);
  expect(new URL((await tag("url")) ?? "").pathname).toBe(`/articles/${slug}`);
  expect(await tag("image")).toBe(picture);
});

test("the settings list the user's sign-ins, and end one or all others", async ({ openAs, url }) => {
  const alice = await openAs("alice", "/settings");
  const { signIns } = strings;
  const list = alice.getByRole("region", { name: signIns.title }).getByRole("listitem");
  const openElsewhere = async (ago: number, userAgent: string) => {
    const accessToken = formAccessToken("alice", { secondsAgo: ago });
    const { status, token } = await bootstrapAs(url, "alice", accessToken, userAgent);
    expect(status).toBe(200);
    return token;
  };
  const isIn = async (token: string) =>
    (await fetch(`${url}/api/chat/me`, { headers: { authorization: `Bearer ${token}` } })).ok;
  const tokens = await Promise.all([openElsewhere(60, "first-bot/1"), openElsewhere(90, "second-bot/1")]);
  await alice.reload();
  await expect(list.filter({ hasText: signIns.current })).toHaveCount(1);
  await expect(list.first()).toContainText(signIns.current);
  await expectNothingSerious(alice, "settings with sign-ins");
  const first = list.filter({ hasText: "first-bot" });
  await first.getByRole("button").click();
  await expect(first).toHaveCount(0);
  await expect(alice.getByText(signIns.ended)).toBeVisible();
  expect(await Promise.all(tokens.map(isIn))).toEqual([false, true]);
  await alice.getByRole("button", { name: signIns.endOthers }).click();
  await expect(list).toHaveCount(1);
  await expect(alice.getByText(signIns.endedOthers)).toBeVisible();
  expect(await Promise.all(tokens.map(isIn))).toEqual([false, false]);
});

async function bootstrapAs(url: string, username: string, accessToken: string, userAgent: string) {
  const response = await fetch(`${url}/api/chat/bootstrap`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": userAgent },
    body: JSON.stringify({ username, accessToken }),
  });
  return { status: response.status, token: ((await response.json()) as { token: string }).token };
}
