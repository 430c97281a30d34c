import { readFileSync } from "node:fs";
import { snippets } from "../../app/(demo)/_landing/code-tabs.tsx";
import { strings as frame } from "../../app/(demo)/_landing/frame-texts.en.ts";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as problems } from "../../app/(demo)/_session/problem-texts.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { sourceAddressOf } from "../../lib/source-address.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { createApiPerson, readSandbox } from "./support/api-person.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("the landing page describes the product, and leads to the chat, articles, payments and reference", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: landing.title })).toBeVisible();
  for (const point of landing.points)
    await expect(page.getByRole("heading", { name: point.title })).toBeVisible();
  for (const [name, path] of [
    [landing.nav.chat, "/chat"],
    [landing.nav.articles, "/articles"],
    [landing.nav.payments, "/payments"],
    [landing.nav.reference, "/reference"],
  ] as const)
    await expect(page.getByRole("navigation").getByRole("link", { name, exact: true })).toHaveAttribute(
      "href",
      path,
    );
});

test("the landing page shows every sandbox account with its HBD balance", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: session.sandbox.title })).toBeVisible();
  const { accounts } = await (await page.request.get("/api/sandbox")).json();
  expect(accounts.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["alice", "bob", "carol", "dave", "erin", "shop"]),
  );
  for (const { name, hbd } of accounts)
    await expect(page.getByRole("button", { name: session.sandbox.signInAs(name) })).toContainText(hbd);
});

test("the landing page fits a small phone without scrolling sideways", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/");
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("the first link lets keyboard users skip the navigation", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: landing.skip })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#content$/);
});

/** The footer's note about the source: a link if the checkout has a public address, otherwise text. */
const source = sourceAddressOf(process.cwd()) === null ? landing.footer.sourceHere : landing.footer.source;

test("no page sends requests to another origin, and every page but the chat has the footer", async ({
  page,
  url,
}) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  const article = "/articles/three-seconds-and-no-fee";
  for (const path of [
    "/",
    "/chat",
    "/articles",
    article,
    "/payments",
    "/reference",
    "/settings",
    "/docs/chat",
    "/nowhere",
  ]) {
    await page.goto(path, { waitUntil: "load" });
    await expect(page.locator("#content")).toBeVisible();
    const footer = page.getByRole("contentinfo");
    for (const [name, href] of [
      [landing.footer.offers, "/offers"],
      [landing.footer.settings, "/settings"],
      [landing.footer.reference, "/reference"],
      [landing.footer.openapi, "/api/openapi.json"],
      [landing.footer.licence("MIT"), "/license.txt"],
      [landing.footer.docs, "/docs"],
    ] as const) {
      const link = footer.getByRole("link", { name });
      await expect(link).toHaveCount(path === "/chat" ? 0 : 1);
      if (path !== "/chat") await expect(link).toHaveAttribute("href", href);
    }
    if (path !== "/chat") await expect(footer).toContainText(source);
  }
  expect(foreign).toEqual([]);
});

test("the first screen explains the product to people who chat and to developers", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible();
  await expect(page.getByRole("heading", { name: landing.points[0]?.title ?? "" })).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const { title, texts } of landing.points) {
    await expect(page.getByRole("heading", { name: title })).toBeInViewport();
    for (const text of texts) await expect(page.getByText(text)).toBeInViewport();
  }
  await expect(page.getByText(landing.quickstart.command, { exact: true })).toBeInViewport();
});

test("the landing page shows code for every kind of program, and copies it", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  for (const { name, file, code } of snippets) {
    await page.getByText(name, { exact: true }).click();
    const block = page.locator("pre:visible");
    await expect(block).toHaveCount(1);
    expect(await block.textContent()).toBe(code);
    await page.getByRole("button", { name: landing.code.copy(file) }).click();
    await expect.poll(copied).toBe(code);
  }
  await page.getByRole("radio", { name: "Client" }).press("ArrowLeft");
  await expect(page.getByRole("radio", { name: "Hono" })).toBeChecked();
  await expect(page.locator("pre:visible")).toContainText("hivegate/hono");
  await page.getByRole("button", { name: landing.quickstart.copy }).click();
  await expect.poll(copied).toBe(landing.quickstart.command);
});

test("the landing page explains a payment, shows two small pictures and links to the licence text", async ({
  page,
}) => {
  const sizes: number[] = [];
  page.on("response", async (response) => {
    if (response.url().endsWith(".webp")) sizes.push((await response.body()).length);
  });
  await page.goto("/", { waitUntil: "networkidle" });
  for (const { title } of landing.steps.all)
    await expect(page.getByRole("heading", { name: title, exact: true })).toBeVisible();
  for (const text of [landing.pictures.chat, landing.pictures.article]) {
    const picture = page.getByRole("img", { name: text });
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
  }
  expect(sizes).toHaveLength(2);
  for (const size of sizes) expect(size).toBeLessThan(60_000);
  await expect(
    page.getByRole("contentinfo").getByRole("link", { name: landing.footer.reference }),
  ).toBeVisible();
  const licence = page.getByRole("contentinfo").getByRole("link", { name: landing.footer.licence("MIT") });
  const answer = await page.request.get((await licence.getAttribute("href")) ?? "");
  expect(answer.headers()["content-type"]).toMatch(/^text\/plain/);
  expect(await answer.text()).toBe(readFileSync("LICENSE", "utf8"));
});

test("pages have a link preview with a picture of the usual size and format", async ({ page }) => {
  for (const path of ["/", "/payments", "/docs/chat"]) {
    await page.goto(path);
    const told = async (name: string) =>
      page.locator(`meta[property="og:image${name}"]`).getAttribute("content");
    expect([await told(":width"), await told(":height")]).toEqual(["1200", "630"]);
    const answer = await page.request.get(new URL((await told("")) ?? "").pathname);
    expect(answer.headers()["content-type"]).toBe("image/png");
    const png = await answer.body();
    expect(png.length).toBeLessThan(150_000);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  }
});

test("a signed-in user sees their name and balances on the landing page, with links to continue", async ({
  openAs,
}) => {
  const page = await openAs("alice", "/");
  const card = page.getByRole("region", { name: landing.signedIn.label });
  await expect(card.getByRole("heading", { name: landing.signedIn.title("alice") })).toBeVisible();
  await expect(card).toContainText(/\d+\.\d{3} HBD/);
  await expectNothingSeriousInBothThemes(page, "the first page of somebody who is signed in");
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toHaveCount(0);
  // There is one primary action. On a phone, the action and the account are in view first.
  await expect(page.getByRole("link", { name: landing.start })).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const part of [
    card.getByRole("heading", { name: landing.signedIn.title("alice") }),
    card.getByRole("link", { name: landing.signedIn.continue("alice") }),
    page.getByRole("heading", { level: 1 }),
  ])
    await expect(part).toBeInViewport({ ratio: 1 });
  await card.getByRole("link", { name: landing.signedIn.continue("alice") }).click();
  await expect(page).toHaveURL(/\/chat/);
});

test("a failed sign-out on the landing page says so, and the user stays signed in until it succeeds", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("dave") }).click();
  await page.waitForURL(/\/chat/);
  await page.goto("/");
  const card = page.getByRole("region", { name: landing.signedIn.label });
  await page.route("**/api/chat/logout", (route) =>
    route.fulfill({
      status: 502,
      json: { error: "Away.", code: "backend_unreachable", requestId: "request-12" },
    }),
  );
  const leave = card.getByRole("button", { name: landing.signedIn.other });
  await leave.click();
  const problem = problems.problems.backend_unreachable ?? "";
  await expect(card.getByRole("alert")).toHaveText(landing.signedIn.still(problem));
  await page.reload();
  await expect(card.getByRole("link", { name: landing.signedIn.continue("dave") })).toBeVisible();
  await page.unroute("**/api/chat/logout");
  await leave.click();
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("dave") })).toBeVisible();
});

test("a signed-in user sees their picture from the chat until it is removed", async ({ openAs, url }) => {
  const { userId, token } = await createApiPerson(url, "dave");
  const change = async (init: RequestInit) => {
    const address = `${(await readSandbox(url)).chat?.url}/users/${userId}/image`;
    const answer = await fetch(address, { ...init, headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  };
  const page = await openAs("dave", "/");
  const card = page.getByRole("region", { name: landing.signedIn.label });
  await expect(card.getByRole("heading", { name: landing.signedIn.title("dave") })).toBeVisible();
  const picture = new FormData();
  picture.append("image", new File([new Uint8Array(pngOf("dave"))], "dave.png", { type: "image/png" }));
  await change({ method: "POST", body: picture });
  await page.reload();
  const image = card.locator("img");
  await expect(image).toHaveAttribute("src", new RegExp(`/api/chat/users/${userId}/image[?]v=[0-9]+$`));
  await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(0);
  await change({ method: "DELETE" });
  await page.reload();
  await expect(card.getByRole("heading", { name: landing.signedIn.title("dave") })).toBeVisible();
  await expect(card).toContainText(/\d+\.\d{3} HBD/);
  await expect(image).toHaveCount(0);
});

test("the navigation marks the open page", async ({ page }) => {
  for (const [path, name, current] of [
    ["/articles", landing.nav.articles, "page"],
    ["/articles/three-seconds-and-no-fee", landing.nav.articles, "true"],
    ["/payments", landing.nav.payments, "page"],
  ] as const) {
    await page.goto(path);
    const link = page.getByRole("navigation").getByRole("link", { name, exact: true });
    await expect(link).toHaveAttribute("aria-current", current);
    await expect(page.getByRole("navigation").locator("[aria-current]")).toHaveCount(1);
  }
});

test("the footer marks the open page if it lists it", async ({ page }) => {
  for (const [path, name, current] of [
    ["/settings", landing.footer.settings, "page"],
    ["/reference", landing.footer.reference, "page"],
    ["/docs/operations", landing.footer.docs, "true"],
    ["/articles", null, null],
  ] as const) {
    await page.goto(path);
    const footer = page.getByRole("contentinfo");
    await expect(footer).toBeVisible();
    if (name === null) await expect(footer.locator("[aria-current]")).toHaveCount(0);
    else {
      await expect(footer.getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", current);
      await expect(footer.locator("[aria-current]")).toHaveCount(1);
    }
  }
});

test("articles, payments, reference and docs show the signed-in user", async ({ openAs, page }) => {
  const alice = await openAs("alice", "/chat");
  const { title } = frame.signedIn;
  for (const path of ["/articles", "/payments", "/reference", "/docs"]) {
    await alice.goto(path);
    const account = alice.getByRole("banner").getByRole("link", { name: title("alice") });
    await expect(account).toBeVisible();
    await expect(account).toHaveAttribute("href", "/");
  }
  await alice.setViewportSize({ width: 360, height: 740 });
  await expect(alice.getByRole("banner").getByRole("link", { name: title("alice") })).toBeVisible();
  const overflow = await alice.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await page.goto("/articles");
  await expect(page.getByRole("banner").getByRole("link", { name: frame.nav.chat })).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: /alice/ })).toHaveCount(0);
});
