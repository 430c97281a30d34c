import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as ui } from "../../app/(demo)/_ui/strings.en.ts";
import { strings as wire } from "../../app/(demo)/_wire/strings.en.ts";
import { strings as settings } from "../../app/(demo)/settings/strings.en.ts";
import { chooseOnMessage, messageRow, sidebar, threadPanel, timeline } from "./support/chat-page.ts";
import { payAs } from "./support/pay-as.ts";
import { startWorkerServer } from "./support/start-worker-server.ts";
import { expect, test } from "./support/test.ts";

/** Two of the four sizes are stored in the docs. */
const inDocs = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
const toLookAt = fileURLToPath(new URL("../../test-results/screenshots/", import.meta.url));
const sizes = [
  { size: "phone", width: 360, height: 740, folder: inDocs },
  { size: "tablet", width: 820, height: 1180, folder: toLookAt },
  { size: "wide", width: 1280, height: 800, folder: inDocs },
  { size: "large", width: 1440, height: 900, folder: toLookAt },
];
const ofSite = fileURLToPath(new URL("../../public/pictures/", import.meta.url));
/** The screens on the landing page, and the names of their pictures there. */
const onFirstPage: Readonly<Record<string, string>> = { thread: "chat", receipt: "article" };
const ARTICLE = "/articles/three-seconds-and-no-fee";
const PHOTOGRAPHY = "Photography";
const PRICE = "0.050 HBD";

test.describe.configure({ timeout: 120_000 });

// Each test has its own server, because an account's purchases can't be undone.
let server: Awaited<ReturnType<typeof startWorkerServer>>;
test.beforeEach(async () => {
  server = await startWorkerServer();
});
test.afterEach(() => server.close());

for (const theme of ["light", "dark"] as const)
  for (const { size, width, height, folder } of sizes) {
    let context: BrowserContext;
    let page: Page;
    const shoot = async (name: string) => {
      // The pointer would affect the look of the element under it.
      await page.mouse.move(0, 0);
      await page.waitForLoadState("networkidle");
      const path = `${folder}${name}-${theme}-${size}.png`;
      const png = await page.screenshot({ path, animations: "disabled" });
      const picture = onFirstPage[name];
      if (picture && size === "wide")
        await writeFile(`${ofSite}${picture}-${theme}.webp`, await shrink(context, png));
    };

    test(`every screen, ${theme}, ${size}`, async ({ browser }) => {
      context = await browser.newContext({
        baseURL: server.url,
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "reduce",
        deviceScaleFactor: size === "phone" ? 2 : 1,
      });
      page = await context.newPage();
      await page.goto("/");
      await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible();
      await shoot("landing");
      await page.goto("/chat");
      const door = page.getByRole("button", { name: session.sandbox.signInAs("alice") });
      await expect(door).toBeVisible();
      await shoot("sign-in");
      await door.click();

      const link = page.getByRole("link", { name: new RegExp(`^${PHOTOGRAPHY}`) });
      await expect(link).toBeVisible();
      if (size !== "phone") await expect(page.locator("[data-post]").last()).toBeVisible();
      await shoot("channels");
      await link.click();
      const root = messageRow(timeline(page, PHOTOGRAPHY), "Fog in the valley");
      await expect(root.getByRole("button", { name: new RegExp(chat.message.replies(3)) })).toBeVisible();
      await expect(root.locator("strong")).toBeVisible();
      await shoot("chat");
      await root.getByRole("button", { name: new RegExp(chat.message.replies(3)) }).click();
      await expect(messageRow(threadPanel(page), "polariser")).toBeVisible();
      await shoot("thread");
      await threadPanel(page).getByRole("button", { name: chat.thread.close }).click();

      await page.keyboard.press("Control+Shift+F");
      await page.getByRole("searchbox", { name: chat.search.label }).fill("release");
      await expect(page.getByRole("list", { name: chat.search.title }).locator("mark").first()).toBeVisible();
      await shoot("search");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Alt+Shift+L");
      const inspector = page.getByRole(width < 1024 ? "dialog" : "complementary", { name: wire.title });
      await inspector
        .getByRole("button", { name: /search\/posts/ })
        .last()
        .click();
      await inspector
        .getByRole("button", { name: /received hello/ })
        .first()
        .click();
      await shoot("inspector");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: chat.finder.title }).fill("er");
      await expect(page.getByRole("option").first()).toBeVisible();
      await expect(page.getByRole("dialog").getByText(`${ui.loading}…`)).toBeHidden();
      await shoot("finder");

      await page.goto("/articles");
      await expect(page.getByText(PRICE).first()).toBeVisible();
      await shoot("articles");
      await page.goto(ARTICLE);
      await expect(page.getByRole("button", { name: pay.unlock(PRICE) })).toBeVisible();
      await shoot("article-locked");
      await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
      await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeEnabled();
      await shoot("pay");
      await payAs(page, "alice", PRICE);
      const receipt = page.getByRole("region", { name: pay.receipt.title });
      await expect(receipt).toBeVisible({ timeout: 90_000 });
      await shoot("article");
      await receipt.scrollIntoViewIfNeeded();
      await shoot("receipt");
      await page.goto("/payments?account=alice");
      await expect(page.getByRole("table")).toBeVisible();
      await shoot("payments");
      await page.goto("/reference");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await shoot("reference");
      await page.goto("/");
      await expect(page.getByRole("link", { name: landing.signedIn.continue("alice") })).toBeVisible();
      await shoot("landing-signed-in");
      await page.goto("/settings");
      await expect(page.getByRole("heading", { name: settings.title })).toBeVisible();
      await shoot("settings");
      await page.goto("/chat");
      await link.click();
      await chooseOnMessage(
        page,
        messageRow(timeline(page, PHOTOGRAPHY), "Fog in the valley"),
        chat.message.pin,
      );
      await page.getByRole("button", { name: chat.pinned.count(1) }).click();
      await expect(page.getByRole("list", { name: chat.pinned.title })).toContainText("Fog in the valley");
      await shoot("pinned");
      await page.keyboard.press("Escape");
      if (size === "phone") await page.getByRole("heading", { level: 1 }).getByRole("button").click();
      const showMembers = size === "phone" ? chat.members.show : chat.members.title;
      await page.getByRole("button", { name: showMembers, exact: true }).click();
      await expect(page.getByRole("list", { name: chat.members.title })).toContainText("bob");
      await shoot("members");
      await page.goto("/chat");
      for (const [name, title] of [
        ["threads", chat.threads.title],
        ["mentions", chat.mentions.title],
      ] as const) {
        await sidebar(page)
          .getByRole("button", { name: new RegExp(`^${title}\\b`) })
          .click();
        await expect(page.getByRole("heading", { name: title })).toBeVisible();
        await shoot(name);
        await page.keyboard.press("Escape");
      }
      await context.close();
    });
  }

/** Returns the picture of a screen in the size and format of the landing page. */
async function shrink(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage();
  const webp = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const whole = await createImageBitmap(new Blob([bytes]));
    const canvas = document.createElement("canvas");
    canvas.width = 800;
    canvas.height = 500;
    const drawing = canvas.getContext("2d");
    if (drawing) drawing.imageSmoothingQuality = "high";
    drawing?.drawImage(whole, 0, 0, 800, 500);
    return canvas.toDataURL("image/webp", 0.85).replace(/^.*,/, "");
  }, png.toString("base64"));
  await page.close();
  return Buffer.from(webp, "base64");
}

/**
 * 1200 by 630 pixels, the usual size of link previews, drawn large enough to be readable when shown small.
 */
test("the link preview of a page", async ({ browser }) => {
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 960, height: 504 },
    deviceScaleFactor: 1.25,
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto("/chat");
  await page.getByRole("button", { name: session.sandbox.signInAs("alice") }).click();
  await page.getByRole("link", { name: new RegExp(`^${PHOTOGRAPHY}`) }).click();
  await expect(messageRow(timeline(page, PHOTOGRAPHY), "Theme of the week")).toBeVisible();
  await page.waitForLoadState("networkidle");
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${ofSite}link.png`, animations: "disabled" });
  await context.close();
});
