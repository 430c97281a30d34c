import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../app/(demo)/_pay/transfer-strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { sendTransfer } from "../harness/send-transfer.ts";
import { openChain } from "./support/open-chain.ts";
import { openPhone } from "./support/open-phone.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";
import { askForTransfer, PRICE } from "./support/transfer-panel.ts";

const ARTICLE = "/articles/three-seconds-and-no-fee";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 120_000 });

// A server of its own, on which the account has bought nothing.
let server: Awaited<ReturnType<typeof startServerForWallets>>;
test.beforeAll(async () => {
  server = await startServerForWallets();
});
test.afterAll(() => server?.close());

test("what a phone has paid opens on a computer at which the payer signs in", async ({ browser }) => {
  const phone = await openPhone(browser, server.url);
  const isPresented = phone.page.waitForResponse(
    async (response) =>
      response.status() === 402 &&
      response.url().includes("/api/demo/articles/") &&
      (await response.text()).includes("payment_not_seen"),
  );
  await phone.page.goto(ARTICLE);
  const panel = await askForTransfer(phone.page);
  await panel.getByText(transfer.other, { exact: true }).click();
  const memo = (await panel.getByText(/^x402:/).textContent()) ?? "";
  await isPresented;
  await phone.context.close();

  const chain = await openChain(server.url);
  const transaction_id = await sendTransfer(chain, { from: "carol", memo });
  const statusOf = () => chain.call("transaction_status_api.find_transaction", { transaction_id });
  await expect.poll(statusOf, SETTLED).toMatchObject({ status: "within_irreversible_block" });

  const computer = await browser.newContext({ baseURL: server.url });
  const page = await computer.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await page.waitForURL(/\/chat(\/|$)/);
  await page.goto(ARTICLE);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByRole("heading", { name: pay.owned.title })).toBeVisible();
  await page.getByRole("button", { name: pay.owned.show }).click();
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@carol");
  await expect(page.getByText(articles.locked)).toBeHidden();
  await computer.close();
});
