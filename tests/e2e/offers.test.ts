import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { strings as offers } from "../../app/(demo)/offers/strings.en.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { payAs } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
/** Settling takes a few blocks, one every three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 90_000 });

const listing = (resource: string, description: string) => ({
  resource,
  type: "http",
  x402Version: 2,
  accepts: [
    {
      ...{ scheme: "exact", network: "chain:sandbox", amount: "50", asset: "HBD", payTo: "bob" },
      maxTimeoutSeconds: 300,
    },
  ],
  lastUpdated: "2026-01-31T12:00:00.000Z",
  description,
  extensions: {
    bazaar: {
      info: {
        input: { type: "http", method: "POST", bodyType: "json", body: { city: "Madrid" } },
        output: { type: "json", example: { celsius: 21 } },
      },
      schema: {},
    },
  },
});
const page1 = (items: unknown[]) => ({
  x402Version: 2,
  items,
  pagination: { limit: 50, offset: 0, total: items.length },
});

test("a bought article is listed among the offers with its price, its seller and a link", async ({
  page,
}) => {
  await page.goto("/articles/one-key-for-each-job");
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "alice", PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toBeVisible(SETTLED);
  await page.goto("/articles");
  await page.getByRole("link", { name: articles.others }).click();
  await expect(page.getByRole("heading", { level: 1, name: offers.title })).toBeVisible();
  const card = page.locator("#content li").filter({ hasText: "One key for each job" });
  await expect(card).toContainText(PRICE);
  await expect(card).toContainText(offers.seller("shop"));
  await expect(card.getByRole("link", { name: offers.open("One key for each job") })).toHaveAttribute(
    "href",
    /\/api\/demo\/articles\/one-key-for-each-job$/,
  );
  await expectNothingSeriousInBothThemes(page, "what you can buy");
});

test("a search shows what fits, and one that finds nothing leads back to all offers", async ({ page }) => {
  const all = [
    listing("https://weather.example/today", "The weather of a city"),
    listing("https://chess.example/", "Chess"),
  ];
  await page.route("**/api/x402/discovery/**", (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith("/resources")) return route.fulfill({ json: page1(all) });
    const resources = searchParams.get("query") === "weather" ? all.slice(0, 1) : [];
    const pagination = { limit: resources.length, cursor: null };
    return route.fulfill({ json: { x402Version: 2, resources, partialResults: false, pagination } });
  });
  await page.goto("/offers");
  const cards = page.locator("#content li");
  await expect(cards).toHaveCount(2);
  await expect(cards.first()).toContainText('"city": "Madrid"');
  await expect(cards.first()).toContainText('"celsius": 21');
  // A link cannot open what is called with POST.
  await expect(cards.getByRole("link")).toHaveCount(0);
  const field = page.getByRole("searchbox", { name: offers.search });
  await field.fill("weather");
  await field.press("Enter");
  await expect(cards).toHaveCount(1);
  await field.fill("sailing");
  await page.getByRole("button", { name: offers.searchButton }).click();
  await expect(page.getByRole("heading", { name: offers.none.title("sailing") })).toBeVisible();
  await expect(field).toHaveValue("sailing");
  await page.getByRole("button", { name: offers.all }).click();
  await expect(cards).toHaveCount(2);
  await expect(field).toHaveValue("");
});

test("an empty catalogue links to the articles", async ({ page }) => {
  await page.route("**/api/x402/discovery/**", (route) => route.fulfill({ json: page1([]) }));
  await page.goto("/offers");
  await expect(page.getByRole("heading", { name: offers.empty.title })).toBeVisible();
  await expect(page.getByText("Buy an article, and it will be the first.")).toBeVisible();
  await page.getByRole("link", { name: offers.empty.action }).click();
  await expect(page).toHaveURL(/\/articles$/);
});
