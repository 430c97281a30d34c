import { expect, type Locator, type Page } from "playwright/test";
import { strings } from "../../../app/(demo)/_pay/strings.en.ts";

/** The row of the open payment dialog that names the payer. */
export const payerRow = (page: Page): Locator =>
  page.getByRole("button", {
    name: new RegExp(`^(?:${strings.payer.by("", false)}|${strings.payer.nobody})`),
  });

/** Chooses the payer in the open payment dialog: a sandbox account by its name, or the wallet. */
export async function choosePayer(page: Page, name: string): Promise<void> {
  const row = payerRow(page);
  if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
  await page.getByRole("radio", { name }).check({ force: true });
}

/** Chooses a sandbox account in the open payment dialog, and pays. */
export async function payAs(page: Page, name: string, price: string): Promise<void> {
  await choosePayer(page, name);
  await expect(page.getByRole("button", { name: strings.pay(price) })).toBeEnabled();
  await page.getByRole("button", { name: strings.pay(price) }).click();
}

/** Opens an article and asks the wallet to pay its price as bob. */
export async function payByKeychain(page: Page, address: string, price: string): Promise<void> {
  await page.goto(address);
  await page.getByRole("button", { name: strings.unlock(price) }).click();
  await choosePayer(page, strings.payer.keychain);
  await page.getByRole("textbox", { name: strings.payer.account }).fill("bob");
  await page.getByRole("button", { name: strings.pay(price) }).click();
}
