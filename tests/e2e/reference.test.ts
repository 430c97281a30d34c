import { strings } from "../../app/(demo)/_reference/strings.en.ts";
import { expect, test } from "./support/test.ts";

test("the reference shows every operation of the server's own description", async ({ page, request }) => {
  const document = await (await request.get("/api/openapi.json")).json();
  await page.goto("/reference");
  await expect(page.getByRole("heading", { level: 1, name: strings.title })).toBeVisible();
  await expect(page.getByText("/api/chat/bootstrap").first()).toBeVisible();
  const text = (await page.locator("#content").textContent()) ?? "";
  const paths = Object.keys(document.paths);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !text.includes(path))).toEqual([]);
});
