import { HEADER_PAYMENT_RESPONSE, HEADER_REDIRECT } from "../../header.ts";
import { showContent, storeContent } from "./content.ts";
import { texts } from "./data.ts";
import { type Paid, takeReceipt } from "./receipt.ts";

/** Returns whether an answer is what was paid for: content, or a redirect to it. */
export const isContent = ({ ok, headers }: Response): boolean => ok || headers.has(HEADER_REDIRECT);

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
  const target = response.headers.get(HEADER_REDIRECT);
  if (target !== null) {
    const { href, protocol } = new URL(target, location.href);
    if (!/^https?:$/.test(protocol)) throw new Error(texts.failed);
    location.assign(href);
    return;
  }
  const body = await response.blob().catch(() => {
    throw new Error(paid ? texts.brokeOff : texts.unreachable);
  });
  const content = new Response(body, { headers: response.headers });
  await storeContent(content.clone());
  await showContent(content);
}
