import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const header =
  "**Rules:** [be kind](https://example.com/rules) :tada: @bob\n\n- no spam\n- no shouting\n\n<b>x</b>";

for (const width of [1280, 360])
  test(`at ${width} px a channel's description is one formatted line, and a press on the title opens all of it`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Telling Room", ["alice", "bob"]);
    const purpose = `For _everything_ else. ${"More of it. ".repeat(18)}`;
    await room.people.get("alice")?.mattermost("PUT", `/channels/${room.id}/patch`, { header, purpose });
    const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width, height: 740 } });
    await waitForChannel(alice, room.title);
    const top = alice.getByRole("main").locator("header").first();
    await expect(top.locator("strong")).toHaveText("Rules:");
    await expect(top).toContainText("🎉");
    await expect(top).not.toContainText("**");
    // The timeline's notice about the change contains the text too.
    await expect(timeline(alice, room.title).locator("strong").last()).toHaveText("Rules:");
    await expect(top.getByRole("link", { name: "be kind" })).toHaveAttribute("rel", /noopener/);
    const lineHeight = () => top.locator("p").evaluate((element) => element.getBoundingClientRect().height);
    expect(await lineHeight()).toBe(16);
    expect(await alice.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);

    await top.getByRole("button", { name: room.title, exact: true }).press("Enter");
    const about = alice.getByRole("dialog", { name: room.title });
    await expect(about).toContainText(strings.channel.members(2));
    await expect(about.getByRole("listitem").nth(1)).toHaveText("no shouting");
    await expect(about.locator("em")).toHaveText("everything");
    await expect(about.locator("b")).toHaveCount(0);
    await alice.keyboard.press("Escape");
    await expect(top.getByRole("button", { name: room.title, exact: true })).toBeFocused();

    const plain = { header: `Nothing to format here. ${"More of it. ".repeat(18)}` };
    await room.people.get("alice")?.mattermost("PUT", `/channels/${room.id}/patch`, plain);
    await expect(top).toContainText("Nothing to format here.");
    expect(await lineHeight()).toBe(16);
  });
