import { pngOf } from "../harness/start-picture-server.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

const address = "https://pictures.example/valley.png";
const path = `/api/demo/pictures?url=${encodeURIComponent(address)}&key=${"k".repeat(43)}`;

test("an article shows the pictures that it came with paths for, and links to others", async ({ page }) => {
  const slug = "one-key-for-each-job";
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("pictures.example/")) elsewhere.push(new URL(request.url()).host);
  });
  await page.route("**/api/demo/pictures?*", (route) =>
    route.fulfill({ contentType: "image/png", body: pngOf("valley") }),
  );
  const receipt = { payer: "alice", txId: "0".repeat(40), blockNum: 1, network: "x", amount: "0.050 HBD" };
  await page.route("**/api/demo/articles", async (route) => {
    const { articles } = await (await route.fetch()).json();
    const offers = articles.map((one: { slug: string }) =>
      one.slug === slug ? { ...one, receipt: { ...receipt, paidAt: "2026-01-01T00:00:00.000Z" } } : one,
    );
    await route.fulfill({ json: { articles: offers } });
  });
  await page.route(`**/api/demo/articles/${slug}`, (route) =>
    route.fulfill({
      json: {
        ...{ slug, title: "One key", teaser: "x", payer: "alice", txId: receipt.txId },
        body: `Before. ![the valley](${address})\n\n![elsewhere](https://pictures.example/other.png)`,
        pictures: { [address]: path, "https://pictures.example/other.png": "https://pictures.example/trap" },
      },
    }),
  );
  await page.goto(`/articles/${slug}`);
  const shown = page.getByRole("img", { name: "the valley" });
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
  await expect(page.getByRole("link", { name: "elsewhere" })).toHaveAttribute(
    "href",
    "https://pictures.example/other.png",
  );
  await expectNothingSerious(page, "an article with a picture");
  expect(elsewhere.filter((host) => host === "pictures.example")).toEqual([]);
});
