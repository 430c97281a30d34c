import { expect, type Page } from "playwright/test";
import { strings } from "../../../app/(demo)/_pay/strings.en.ts";

/** Chooses a sandbox account in the open pay dialog and pays. */
export async function payAs(page: Page, name: string, price: string): Promise<void> {
  await page.getByRole("radio", { name }).check({ force: true });
  await expect(page.getByRole("button", { name: strings.pay(price) })).toBeEnabled();
  await page.getByRole("button", { name: strings.pay(price) }).click();
}
