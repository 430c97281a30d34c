import { expect, type Locator, type Page } from "playwright/test";
import { strings as pay } from "../../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../../app/(demo)/_pay/transfer-strings.en.ts";
import { choosePayer } from "./pay-as.ts";

/** The price of an article. */
export const PRICE = "0.050 HBD";

/** The panel that shows where to send the price of an article. */
export const transferPanel = (page: Page): Locator =>
  page.getByRole("group", {
    name: new RegExp(`^(${transfer.scan(PRICE, "shop")}|${transfer.send(PRICE, "shop")})$`),
  });

/** Asks for the price of the open article by any wallet, and returns the panel that shows where to send it. */
export async function askForTransfer(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await choosePayer(page, pay.payer.transfer);
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  const panel = transferPanel(page);
  await expect(panel).toBeFocused();
  return panel;
}

/** Returns the address of a panel's link that opens a wallet. */
export const linkIn = async (panel: Locator, wallet: string): Promise<string> =>
  (await panel.getByRole("link", { name: transfer.open(wallet) }).getAttribute("href")) ?? "";

/** Copies account, amount and memo for another wallet, by their buttons. */
export async function copyTransfer(panel: Locator): Promise<{ to: string; amount: string; memo: string }> {
  await panel.getByText(transfer.other, { exact: true }).click();
  const copy = async (name: string) => {
    await panel.getByRole("button", { name }).click();
    return panel.page().evaluate(() => navigator.clipboard.readText());
  };
  const to = await copy(transfer.copyAccount);
  const amount = await copy(transfer.copyAmount);
  return { to, amount, memo: await copy(transfer.copyMemo) };
}

/** Has a wallet of HiveAuth asked for a panel's transfer, from the account that is there unless one is named. */
export async function askHiveAuth(panel: Locator, account?: string): Promise<void> {
  const field = panel.getByRole("textbox", { name: transfer.hiveauth.account });
  if (!(await field.isVisible())) await panel.getByText(transfer.hiveauth.title, { exact: true }).click();
  if (account !== undefined) await field.fill(account);
  await panel.getByRole("button", { name: transfer.hiveauth.ask }).click();
}

/** Returns the address of the link that asks a wallet of HiveAuth. */
export const hiveAuthLinkIn = async (panel: Locator): Promise<string> =>
  (await panel.getByRole("link", { name: transfer.hiveauth.open, exact: true }).getAttribute("href")) ?? "";
