import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_pay/strings.en.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { messageRow, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

const address = "https://pictures.example/valley.png";
const path = `/api/demo/pictures?url=${encodeURIComponent(address)}&key=${"k".repeat(43)}`;

const slug = "one-key-for-each-job";

/** Replaces the text of an article that alice has bought. */
async function provideArticle(
  page: Page,
  body: string,
  pictures: Record<string, string> = {},
): Promise<void> {
  const receipt = { payer: "alice", txId: "0".repeat(40), blockNum: 1, network: "x", amount: "0.050 HBD" };
  await page.route("**/api/demo/articles", async (route) => {
    const { articles } = await (await route.fetch()).json();
    const offers = articles.map((one: { slug: string }) =>
      one.slug === slug ? { ...one, receipt: { ...receipt, paidAt: "2026-01-01T00:00:00.000Z" } } : one,
    );
    await route.fulfill({ json: { articles: offers } });
  });
  const article = { slug, title: "One key", teaser: "x", payer: "alice", txId: receipt.txId };
  await page.route(`**/api/demo/articles/${slug}`, (route) =>
    route.fulfill({ json: { ...article, body, pictures } }),
  );
}

async function openArticle(page: Page, body: string, pictures?: Record<string, string>): Promise<void> {
  await provideArticle(page, body, pictures);
  await page.goto(`/articles/${slug}`);
}

test("an article shows the pictures that the gateway serves, and links to all others", async ({ page }) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("pictures.example/")) elsewhere.push(new URL(request.url()).host);
  });
  await page.route("**/api/demo/pictures?*", (route) =>
    route.fulfill({ contentType: "image/png", body: pngOf("valley") }),
  );
  await openArticle(
    page,
    `Before. ![the valley](${address})\n\n![elsewhere](https://pictures.example/other.png)`,
    { [address]: path, "https://pictures.example/other.png": "https://pictures.example/trap" },
  );
  const shown = page.getByRole("img", { name: "the valley" });
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
  await expect(page.getByRole("link", { name: "elsewhere" })).toHaveAttribute(
    "href",
    "https://pictures.example/other.png",
  );
  await expectNothingSerious(page, "an article with a picture");
  expect(elsewhere.filter((host) => host === "pictures.example")).toEqual([]);
});

test("a link in an article does not lead to a part of the surrounding page", async ({ page }) => {
  await openArticle(page, "Some would like to be [elsewhere](#outside).");
  const home = page.getByRole("banner").getByRole("link").first();
  await home.evaluate((element) => {
    element.id = "outside";
  });
  const link = page.getByRole("link", { name: "elsewhere" });
  await link.press("Enter");
  await expect(link).toBeFocused();
  expect(new URL(page.url()).hash).toBe("");
});

test("an article's footnotes are below it and link back to their references", async ({ page }) => {
  const claims = "One claim[^1], another[^über], and the first one again[^1].";
  const filling = Array.from({ length: 30 }, (_, index) => `Paragraph ${index}.`).join("\n\n");
  const sources = "[^1]: A source with [a link](https://example.com).\n\n[^über]: Another source.";
  await openArticle(page, `${claims}\n\n${filling}\n\n${sources}`);
  const text = page.getByRole("article");
  await expect(text.getByRole("heading", { name: strings.footnotes.title })).toBeVisible();
  const mentions = text.locator("sup a");
  await expect(mentions).toHaveText(["1", "2", "1"]);
  for (const mention of await mentions.all())
    await expect(mention).toHaveAccessibleDescription(strings.footnotes.title);
  const notes = text.getByRole("listitem");
  const [first, second] = [notes.nth(0), notes.nth(1)];
  await expect(second).not.toBeInViewport();
  await mentions.nth(1).click();
  await expect(second).toBeInViewport();
  await expect(second).toBeFocused();
  await expect(second).toContainText("Another source.");
  expect(new URL(page.url()).hash).toBe("");
  await second.getByRole("link", { name: strings.footnotes.back(2, 1) }).press("Enter");
  await expect(mentions.nth(1)).toBeFocused();
  await expect(mentions.nth(1)).toBeInViewport();
  await mentions.nth(2).press("Enter");
  await expect(first).toBeFocused();
  await first.getByRole("link", { name: strings.footnotes.back(1, 2) }).press("Enter");
  await expect(mentions.nth(2)).toBeFocused();
  await expectNothingSerious(page, "an article with footnotes");
});

test("a folded article in the chat unfolds when the keyboard follows a footnote", async ({ openAs, url }) => {
  const room = await createRoom(url, "Folded Reading Room", ["alice"]);
  await say(room, "alice", `Worth it: ${url}/articles/${slug}`);
  const alice = await openAs("alice", null);
  const filling = Array.from({ length: 30 }, (_, index) => `Paragraph ${index}.`).join("\n\n");
  await provideArticle(alice, `It begins[^1].\n\n${filling}\n\n[^1]: So it does.`);
  await alice.goto(`/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Worth it");
  const more = row.getByRole("button", { name: strings.continueReading });
  await expect(more).toBeVisible();
  await row.locator("sup a").press("Enter");
  await expect(more).toBeHidden();
  const note = row.getByRole("listitem").filter({ hasText: "So it does." });
  await expect(note).toBeFocused();
  await expect(note).toBeInViewport();
  await expectNothingSerious(alice, "a footnote that has the focus");
});
