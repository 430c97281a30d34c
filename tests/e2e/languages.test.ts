import type { Page } from "playwright/test";
import { texts as spanish } from "../../app/_languages/es/index.ts";
import { strings as english } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as settings } from "../../app/(demo)/settings/strings.en.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { composer, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNoEnglish } from "./support/expect-no-english.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

const { chat, pay, session } = spanish;
const inSpanish = { locale: "es-ES" };
const language = (page: Page) => page.locator("html").getAttribute("lang");

test("a Spanish reader gets the pages in Spanish from the first byte", async ({ browser, url }) => {
  for (const [asked, answered] of [
    ["es-AR,es;q=0.9,en;q=0.5", "es"],
    ["en-GB,es;q=0.5", "en"],
    ["de,ja", "en"],
  ] as const) {
    const answer = await fetch(url, { headers: { "accept-language": asked } });
    expect(await answer.text()).toContain(`<html lang="${answered}" dir="ltr"`);
  }
  const context = await browser.newContext({ ...inSpanish, baseURL: url });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  for (const path of [
    "/",
    "/articles",
    "/offers",
    "/payments?account=alice",
    "/settings",
    "/reference",
    "/no-page",
  ]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(page.locator("html")).toHaveAttribute("lang", "es");
    await expectNoEnglish(page, spanish, path);
  }
  await page.goto("/chat");
  await expect(page.getByRole("heading", { name: chat.signedOut?.title ?? "" })).toBeVisible();
  await expectNoEnglish(page, spanish, "signed out");
  await page
    .getByRole("button", { name: session.key?.summary ?? "" })
    .or(page.getByText(session.key?.summary ?? ""))
    .first()
    .click();
  await expectNoEnglish(page, spanish, "signing in with a key");
  await page.goto("/articles/three-seconds-and-no-fee");
  await page.getByRole("button", { name: pay.unlock?.("0.050 HBD") ?? "" }).click();
  await expect(page.getByRole("button", { name: pay.pay?.("0.050 HBD") ?? "" })).toBeVisible();
  await page.getByText(pay.guard?.change ?? "").click();
  await expectNoEnglish(page, spanish, "paying");
  expect(problems).toEqual([]);
  await context.close();
});

test("the chat's panels, menus and dialogs are in Spanish", async ({ openAs, url }) => {
  test.slow();
  const room = await createRoom(url, "Sala", ["alice", "bob"]);
  await say(room, "bob", "¿Qué tal, @alice?");
  // Signs in on the English page first.
  await openAs("alice", null);
  const alice = await openAs("alice", `/chat/${room.id}`, inSpanish);
  const box = alice.getByRole("combobox", { name: chat.composer?.label?.(room.title) ?? "" });
  await expect(box).toBeVisible();
  await expect(alice.getByText("¿Qué tal")).toBeVisible();
  await expect(alice).toHaveTitle(/Chat de Hivegate$/);
  await expectNoEnglish(alice, spanish, "a channel");
  await expectNothingSerious(alice, "a channel in Spanish");

  const look = async (what: string, open: () => Promise<void>) => {
    await open();
    await expectNoEnglish(alice, spanish, what);
    await alice.keyboard.press("Escape");
  };
  const button = (name = "") => alice.getByRole("button", { name, exact: true }).first();
  await look("the account's menu", () => button(chat.account?.menu?.("alice")).click());
  await look("the channel's menu", () => button(`${chat.channel?.menu}: ${room.title}`).click());
  await look("the emoji", () => button(chat.composer?.emoji).click());
  await look("the formatting", () => button(chat.composer?.formatting).click());
  const json = { error: "The body is too large.", code: "payload_too_large" };
  await alice.route(/\/channels\/\w+\/files/, (route) => route.fulfill({ status: 413, json }));
  await alice
    .locator("input[type=file]")
    .setInputFiles({ name: "valle.png", mimeType: "image/png", buffer: pngOf("valle") });
  await expect(alice.getByRole("alert").filter({ hasText: "valle" })).toHaveText(
    "valle no se ha enviado. Ocupa más de lo que admite el servidor. Redúcela y vuelve a añadirla.",
  );
  await look("the finder", () => alice.keyboard.press("Control+k"));
  await look("the search", () => alice.keyboard.press("Control+Shift+f"));
  await look("the help", () => alice.keyboard.press("Control+/"));
  await look("the inspector", () => alice.keyboard.press("Alt+Shift+l"));
  await look("a person's card", () => button(chat.message?.profileOf?.("bob")).click());
});

test("a language chosen in the settings applies to every tab, keeps drafts, and persists", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Two Tongues", ["alice"]);
  const reading = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(reading, room.title);
  await composer(reading, room.title).fill("half a sentence");
  const choosing = await reading.context().newPage();
  await choosing.goto("/settings");
  await choosing.getByText("Español", { exact: true }).click();
  await expect(choosing.getByRole("heading", { level: 1, name: spanish.settings.title ?? "" })).toBeVisible();
  await expectNoEnglish(choosing, spanish, "the settings after the choice");

  const box = reading.getByRole("combobox", { name: chat.composer?.label?.(room.title) ?? "" });
  await expect(box).toHaveValue("half a sentence");
  await expectNoEnglish(reading, spanish, "the other tab");
  expect(await language(reading)).toBe("es");

  // This browser requests English, but the choice takes precedence from the first byte.
  const answer = await choosing.request.get(url);
  expect(await answer.text()).toContain('<html lang="es"');
  await choosing.reload();
  await expect(choosing.getByRole("radio", { name: "Español" })).toBeChecked();
  await choosing.getByText(spanish.settings.language?.browser ?? "", { exact: true }).click();
  await expect(choosing.getByRole("heading", { level: 1, name: settings.title })).toBeVisible();
  await expect(composer(reading, room.title)).toHaveValue("half a sentence");
  await expect(reading.getByRole("button", { name: english.composer.formatting })).toBeVisible();
});

test("a day within a sentence is capitalized as its language requires", async ({ openAs, url }) => {
  const room = await createRoom(url, "Day Room", ["alice"]);
  const root = await say(room, "alice", "A thread of yesterday");
  await say(room, "alice", "An answer of yesterday", root.id);
  await openAs("alice", null);
  const words = { "en-GB": [english, "yesterday"], "es-ES": [chat, "ayer"] } as const;
  for (const [locale, [texts, day]] of Object.entries(words)) {
    const alice = await openAs("alice", null, { locale });
    await alice.clock.setFixedTime(Date.now() + 86_400_000);
    await alice.goto(`/chat/${room.id}?thread=${root.id}`);
    for (const text of [texts.thread?.of?.("alice", room.title, day), texts.message?.lastReply?.(day)])
      await expect(alice.getByText(text ?? "", { exact: true })).toBeVisible();
  }
});

test("an English reader loads no Spanish texts", async ({ browser, url }) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  const scripts: Array<Promise<string>> = [];
  page.on("response", (response) => {
    if (response.url().endsWith(".js")) scripts.push(response.text().catch(() => ""));
  });
  await page.goto("/", { waitUntil: "networkidle" });
  await page.goto("/settings", { waitUntil: "networkidle" });
  const texts = await Promise.all(scripts);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.filter((text) => text.includes(spanish.landing.start ?? "no text"))).toEqual([]);
  await context.close();
});
