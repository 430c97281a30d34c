import { readFileSync } from "node:fs";
import type { ApiDocument, Schema } from "../../app/(demo)/_reference/document.ts";
import { strings } from "../../app/(demo)/_reference/strings.en.ts";
import { expect, test } from "./support/test.ts";

test("the reference shows every path of the server's OpenAPI document", async ({ page, request }) => {
  const document = await (await request.get("/api/openapi.json")).json();
  await page.goto("/reference");
  await expect(page.getByRole("heading", { level: 1, name: strings.title })).toBeVisible();
  await expect(page.getByText("/api/chat/bootstrap").first()).toBeVisible();
  const text = (await page.locator("#content").textContent()) ?? "";
  const paths = Object.keys(document.paths);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !text.includes(path))).toEqual([]);
});

/** Returns the text of HTML that a reader sees, without tags and scripts. */
const textOf = (html: string) =>
  html
    .replace(/<script.*?<\/script>/gs, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

test("the reference's HTML alone contains operations, fields, codes, quotas, and an example of each answer", async ({
  request,
}) => {
  const document = (await (await request.get("/api/openapi.json")).json()) as ApiDocument;
  const html = await (await request.get("/reference")).text();
  const text = textOf(html);
  const cards = new Map(
    [...html.matchAll(/<article id="(\w+)".*?<\/article>/gs)].map(([card, id = ""]) => [id, textOf(card)]),
  );
  const fieldsOf = (schema: Schema) => Object.keys(schema.properties ?? {});
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const { operationId, parameters, requestBody, responses, "x-rate-limits": limits = [] } = operation;
    const body = requestBody?.content["application/json"]?.schema ?? {};
    const wanted = [
      ...[...parameters.map(({ name }) => name), ...fieldsOf(body), ...limits],
      ...Object.entries(responses).flatMap(([status, answer]) => [status, ...(answer["x-codes"] ?? [])]),
    ];
    const card = cards.get(operationId) ?? "";
    expect(
      wanted.filter((words) => !card.includes(words)),
      operationId,
    ).toEqual([]);
    const shown = Object.values(responses).filter(({ content }) =>
      Object.values(content).some(({ example, examples }) => example ?? examples),
    );
    expect(card.split(/Example(?::| )/).length - 1, operationId).toBeGreaterThanOrEqual(shown.length);
  }
  for (const schema of Object.values(document.components.schemas))
    for (const field of fieldsOf(schema)) expect(text).toContain(field);
  for (const { code } of [...document["x-error-codes"], ...document["x-payment-codes"]])
    expect(html).toContain(`id="error-${code}"`);
  for (const words of [
    "more than one of them is 400",
    "Sending it again within half a minute",
    "16,383 characters",
    "SHA-256",
  ])
    expect(text).toContain(words);
});

test("the reference expands its operations without JavaScript, and all its links resolve", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/reference");
  const card = page.locator("#postChatBootstrap");
  await expect(card.getByText("name_reserved").first()).toBeHidden();
  await card.getByText("/api/chat/bootstrap").first().click();
  await expect(card.getByText("name_reserved").first()).toBeVisible();
  await expect(card.getByText("hive-100001").first()).toBeVisible();
  const links = await page
    .locator('#content a[href^="#"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")?.slice(1) ?? ""));
  expect(links.length).toBeGreaterThan(100);
  const ids = new Set(await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id)));
  expect([...new Set(links)].filter((id) => !ids.has(id))).toEqual([]);
  await context.close();
});

test("the server shows the docs of its own version without a script, and their links lead to one another", async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({ baseURL: url, javaScriptEnabled: false });
  const page = await context.newPage();
  const main = page.getByRole("main");
  await page.goto("/docs");
  await expect(main.getByRole("heading", { level: 1 })).toHaveText(/^Your first sale/);
  for (const link of await page.getByRole("navigation", { name: strings.docs }).getByRole("link").all()) {
    const path = (await link.getAttribute("href")) ?? "";
    const html = await (await page.request.get(path)).text();
    const [title = ""] = readFileSync(`${path.slice(1)}.md`, "utf8").split("\n");
    expect(textOf(html), path).toContain(title.replace("# ", ""));
    // Links to Markdown files would lead nowhere.
    expect(html.match(/href="(?!https:)[^"]*\.md/g), path).toBeNull();
  }
  await page.goto("/docs/chat");
  await main.getByRole("link", { name: "the chat client" }).first().click();
  await expect(page).toHaveURL("/docs/chat-client");
  await page.goto("/docs/operations");
  const anchor = main.locator("a[href^='/docs/'][href*='#'], a[href^='#']").first();
  const target = ((await anchor.getAttribute("href")) ?? "").split("#")[1];
  await anchor.click();
  await expect(page.locator(`[id="${target}"]`)).toBeInViewport();
  expect((await page.request.get("/docs/no-such-page")).status()).toBe(404);
  expect((await page.request.get("/docs/..%2FREADME")).status()).toBe(404);
  await context.close();
});

test("code in the docs names its language, is colored without a script, and copies its exact text", async ({
  browser,
  page,
  url,
}) => {
  const blind = await browser.newContext({ baseURL: url, javaScriptEnabled: false });
  const plain = await blind.newPage();
  await plain.goto("/docs/first-sale");
  const program = plain.locator("pre").filter({ hasText: "// shop.ts" });
  const colourOf = (text: string) =>
    program
      .getByText(text, { exact: true })
      .first()
      .evaluate((element) => getComputedStyle(element).color);
  const colours = [await colourOf("const"), await colourOf("// shop.ts"), await colourOf('"express"')];
  expect(new Set(colours).size).toBe(3);
  await blind.close();

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/docs/first-sale");
  const figure = page.getByRole("main").getByRole("figure").filter({ hasText: "// shop.ts" });
  await expect(figure.getByText("ts", { exact: true })).toBeVisible();
  await figure.getByRole("button", { name: strings.copyCode }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(readFileSync("docs/first-sale.md", "utf8")).toContain(`\`\`\`ts\n${copied}\n\`\`\`\n`);
  expect(copied).toMatch(/^\/\/ shop\.ts\n/);
});

test("the text of the docs is at most 760 px wide", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/docs/chat");
  const widths = await page
    .locator("main p, main li")
    .evaluateAll((all) => all.map((one) => one.clientWidth));
  expect(Math.max(...widths)).toBeLessThanOrEqual(760);
  expect(Math.max(...widths)).toBeGreaterThan(700);
});
