import { HEADER_PAYMENT_RESPONSE } from "../../header.ts";
import { showContent, storeContent } from "./content.ts";
import { texts } from "./data.ts";
import { type Paid, takeReceipt } from "./receipt.ts";

/**
 * Shows and stores content that was paid for now or, if there is no payment, earlier.
 * @throws Error with a sentence for the payer
 */
export async function takeContent(response: Response, paid: Paid, amount: string): Promise<void> {
  // Without a receipt, the answer does not come from the shop but from a server in between.
  if (!response.headers.has(HEADER_PAYMENT_RESPONSE)) throw new Error(texts.unreachable);
  // The receipt is stored before the body is read, because reading may break off, and before the body is
  // shown, because its reader may reload the page.
  takeReceipt(response, paid, amount);
  const body = await response.blob().catch(() => {
    throw new Error(paid ? texts.brokeOff : texts.unreachable);
  });
  const content = new Response(body, { headers: response.headers });
  await storeContent(content.clone());
  await showContent(content);
}
