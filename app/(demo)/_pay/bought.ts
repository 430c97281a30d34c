import { readTab, writeTab } from "./tab-storage.ts";
import type { Paid } from "./use-payment.ts";

const keyOf = (slug: string) => `hivegate.bought.${slug}`;

/** What this tab has paid for already, so that coming back costs nothing. */
export function readBought(slug: string): Paid | null {
  try {
    return JSON.parse(readTab(keyOf(slug)) ?? "null") as Paid | null;
  } catch {
    return null;
  }
}

export function keepBought(slug: string, paid: Paid): void {
  writeTab(keyOf(slug), JSON.stringify(paid));
}
