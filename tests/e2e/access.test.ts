import { strings as media } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as help } from "../../app/(demo)/_chat/shell/help-strings.en.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wire } from "../../app/(demo)/_wire/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import {
  chooseOnMessage,
  composer,
  messageRow,
  pressOnMessage,
  threadPanel,
  timeline,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { payAs } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const widths = [1280, 360];
const PAID = "/articles/three-seconds-and-no-fee";
const PRICE = "0.050 HBD";

test("axe finds no serious problem on the public pages, wide or narrow, in either theme", async ({
  browser,
  url,
}) => {
  test.slow();
  const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce" });
  const page = await context.newPage();
  const look = async (where: string) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expectNothingSeriousInBothThemes(page, `${where}, ${width} px`);
    }
  };
  for (const path of [
    "/",
    "/chat",
    "/articles",
    PAID,
    "/payments",
    "/offers",
    "/payments?account=alice",
    "/settings",
    "/docs/operations",
    "/no-such-page",
    // The payment page that a seller's address returns to a browser that has not paid yet.
    `/api/demo${PAID}`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await look(path);
  }
  await page.goto("/reference");
  for (const index of [0, 1, 2]) await page.locator("article").nth(index).locator("summary").first().click();
  await expect(page.locator("article > details[open]")).toHaveCount(3);
  // A hundred more operations are built the same way. Skipping them alone would take axe longer than all
  // other pages.
  await page.locator("article:nth-of-type(n+4)").evaluateAll((all) => all.map((more) => more.remove()));
  await look("/reference");
  await page.goto(PAID);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeEnabled();
  await look("pay dialog");
  await payAs(page, "alice", PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toBeVisible({ timeout: 90_000 });
  await look("receipt");
  await page.goto("/articles");
  await expect(page.getByRole("region", { name: articles.library.title })).toBeVisible();
  await look("purchases");
  await context.close();
});

for (const width of [1280, 820, 360]) {
  const options = { viewport: { width, height: 800 } };

  test(`axe finds no serious problem in the chat and its panels, in either theme, at ${width} px`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Accessible Room", ["alice", "bob"]);
    await createRoom(url, "Joinable Room", ["bob"]);
    await say(room, "bob", "A [link](https://example.com), `code`, **bold**, @alice and :tada:");
    await say(room, "bob", "- [x] looked at\n- [ ] left");
    const root = await say(room, "alice", "A thread begins");
    await say(room, "bob", "and goes on", root.id);
    await room.people
      .get("bob")
      ?.chat("POST", `/channels/${room.id}/posts/${root.id}/reactions`, { emoji: "tada", add: true });
    const pictures = await startPictureServer();
    pictures.serveBytes("/valley.png", pngOf("valley"));
    await say(room, "bob", `![the valley](${pictures.url}/valley.png)`);
    await room.people.get("bob")?.chat("POST", `/channels/${room.id}/posts/${root.id}/pin`, { pin: true });

    const page = await openAs("alice", `/chat/${room.id}`, options);
    await expect(messageRow(timeline(page, room.title), "A thread begins")).toBeVisible();
    await expect(composer(page, room.title)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "channel");
    if (width > 600) {
      await pressOnMessage(messageRow(timeline(page, room.title), "A thread begins"), chat.message.more);
      await expectNothingSeriousInBothThemes(page, "message menu");
      await page.keyboard.press("Escape");
    }
    await messageRow(timeline(page, room.title), "A thread begins")
      .getByRole("button", { name: new RegExp(chat.message.replies(1)) })
      .click();
    await expect(messageRow(threadPanel(page), "and goes on")).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "thread");
    await threadPanel(page).getByRole("button", { name: chat.thread.close }).click();
    await page.getByRole("button", { name: media.picture.enlarge("the valley") }).click();
    const large = page.getByRole("dialog", { name: media.picture.label("the valley") });
    await expect(large.getByRole("img", { name: "the valley" })).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "large picture");
    await page.keyboard.press("Escape");
    await expect(large).toHaveCount(0);
    await page.getByRole("button", { name: chat.pinned.count(1) }).click();
    await expect(
      page.getByRole("list", { name: chat.pinned.title }).getByText("A thread begins"),
    ).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "pinned messages");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1 }).getByRole("button").click();
    await page.getByRole("button", { name: chat.members.show }).click();
    await expect(page.getByRole("list", { name: chat.members.title }).getByText("bob")).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "members");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("searchbox", { name: chat.search.label }).fill("coffee");
    await expect(page.getByRole("list", { name: chat.search.title })).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+Shift+L");
    const inspector = page.getByRole(width < 1024 ? "dialog" : "complementary", { name: wire.title });
    await inspector
      .getByRole("button", { name: /received hello/ })
      .first()
      .click();
    await inspector
      .getByRole("button", { name: /\/api\/chat\/me/ })
      .first()
      .click();
    await expectNothingSeriousInBothThemes(page, "inspector");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect(
      page.getByRole("group", { name: chat.finder.others }).getByRole("option").first(),
    ).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "finder and channels to join");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    if (width < 600) {
      await page
        .getByRole("link", { name: chat.channel.back })
        .or(page.getByRole("button", { name: chat.channel.back }))
        .click();
      await expectNothingSeriousInBothThemes(page, "list");
      await page.getByRole("button", { name: chat.account.menu("alice") }).click();
      await expectNothingSeriousInBothThemes(page, "account menu");
      await page.getByRole("menuitem", { name: chat.account.shortcuts }).click();
      await expect(page.getByRole("dialog", { name: help.title })).toBeVisible();
      await expectNothingSeriousInBothThemes(page, "help");
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
    }
    await page.getByRole("button", { name: new RegExp(`^${chat.threads.title}\\b`) }).click();
    await expect(
      page.getByRole("list", { name: chat.threads.title }).getByRole("link").first(),
    ).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "inbox of threads");
    await pictures.close();
  });

  test(`axe finds no serious problem in the popups of the chat, in either theme, at ${width} px`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Layered Room", ["alice", "bob"]);
    await say(room, "bob", "Open all of me");
    await say(room, "alice", "Delete all of me\n```\nand code\n```");
    const page = await openAs("alice", `/chat/${room.id}`, options);
    const row = messageRow(timeline(page, room.title), "Open all of me");
    await expect(row).toBeVisible();
    const leave = async () => {
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog").or(page.getByRole("menu"))).toHaveCount(0);
    };
    await page.getByRole("button", { name: chat.composer.emoji, exact: true }).click();
    await expect(page.getByRole("gridcell").first()).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "emoji picker");
    await page.getByPlaceholder(chat.message.findEmoji).fill("no such emoji");
    await expect(page.getByText(chat.message.noEmoji)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "emoji picker without a hit");
    await leave();

    await row.getByRole("button", { name: "bob", exact: true }).click();
    const card = page.getByRole("dialog", { name: "@bob" });
    await expectNothingSeriousInBothThemes(page, "profile card");
    await card.getByRole("button", { name: chat.profile.tip }).click();
    const tip = page.getByRole("dialog", { name: pay.tip.title("bob") });
    await expect(tip.getByRole("button", { name: pay.pay("0.010 HBD") })).toBeEnabled();
    await expectNothingSeriousInBothThemes(page, "tip dialog");
    await tip.getByText(pay.guard.change).click();
    await tip.getByLabel(pay.guard.perPayment).fill("0.001");
    await tip.getByRole("button", { name: pay.guard.save }).click();
    await expect(tip.getByRole("alert")).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "tip over the limit");
    await page.keyboard.press("Escape");
    await expect(tip).toBeHidden();
    await leave();

    if (width > 600) {
      const own = messageRow(timeline(page, room.title), "Delete all of me");
      await chooseOnMessage(page, own, chat.message.remove);
      await expect(page.getByRole("dialog", { name: chat.message.removeTitle })).toBeVisible();
      await expectNothingSeriousInBothThemes(page, "delete dialog");
      await leave();
    }

    await composer(page, room.title).focus();
    await composer(page, room.title).pressSequentially("@bo");
    await expect(page.getByRole("listbox", { name: chat.composer.suggestions })).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "suggestions");
    await composer(page, room.title).fill("");
    await page
      .getByRole("button", { name: `${chat.channel.menu}: ${room.title}` })
      .last()
      .click();
    await expectNothingSeriousInBothThemes(page, "channel menu");
    await leave();
    await page.getByRole("heading", { level: 1 }).getByRole("button").click();
    await expect(page.getByRole("dialog", { name: room.title })).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "what a channel says of itself");
    await leave();
    if (width > 600) {
      await page.getByRole("button", { name: chat.account.menu("alice") }).click();
      await expectNothingSeriousInBothThemes(page, "account menu");
      await page.getByRole("menuitem", { name: chat.account.shortcuts }).click();
      await expect(page.getByRole("dialog", { name: help.title })).toBeVisible();
      await expectNothingSeriousInBothThemes(page, "help");
      await leave();
    }

    await page.route("**/posts", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 403, json: { error: "Not in here.", code: "forbidden" } })
        : route.continue(),
    );
    await composer(page, room.title).fill("Refused");
    await composer(page, room.title).press("Enter");
    await expect(page.getByText(chat.message.notSent)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "refused message");
    await page.context().setOffline(true);
    await composer(page, room.title).fill("Waiting");
    await composer(page, room.title).press("Enter");
    await expect(page.getByText(chat.message.waiting)).toBeVisible();
    await expect(page.getByText(chat.connection.offline)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "waiting message");
  });

  test(`axe finds no serious problem in a failed sign-in, in either theme, at ${width} px`, async ({
    browser,
    url,
  }) => {
    const context = await browser.newContext({ ...options, baseURL: url, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto("/chat");
    const again = page.getByRole("button", { name: session.tryAgain });
    const answers = [
      [403, "forbidden"],
      [429, "rate_limited"],
      [500, "internal"],
      [502, "backend_unreachable"],
      [503, "auth_unavailable"],
    ] as const;
    for (const [status, code] of answers) {
      await page.route("**/api/auth/challenge", (route) =>
        route.fulfill({ status, json: { error: "Refused.", code }, headers: { "retry-after": "7" } }),
      );
      await page.getByRole("button", { name: session.sandbox.signInAs("alice") }).click();
      await expect(again).toBeVisible();
      await expectNothingSeriousInBothThemes(page, `sign-in ${status}`);
      await page.unroute("**/api/auth/challenge");
      await again.click();
    }
    await page.getByText(session.key.summary).click();
    await page.getByLabel(session.key.label).fill("no key");
    await page.getByRole("button", { name: session.key.button }).click();
    await expect(page.getByText(session.key.nameless)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "key form");

    await page.route("**/api/chat/me", (route) =>
      route.fulfill({ status: 403, json: { error: "Refused.", code: "forbidden" } }),
    );
    // Without a cookie, the page would ask to sign in.
    await context.addCookies([{ name: "chat_pat", value: "refused", url }]);
    await page.goto("/chat");
    await expect(page.getByText(chat.failed.forbidden)).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "chat 403");
    await context.close();
  });
}
