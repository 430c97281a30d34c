// The script of the payment page. It reads the chain's time, asks Hive Keychain for a signature, and requests
// the same address again with the payment; or it shows other wallets where to send the price, and waits. `npm run page` builds it into `payment-page-script.ts`.
import { readStoredContent, showContent } from "./content.ts";
import { showCopyButtons } from "./copy-buttons.ts";
import { data, texts } from "./data.ts";
import { byId } from "./elements.ts";
import { leaveWalletAnswer } from "./leave-wallet-answer.ts";
import { offerTransfer } from "./offer-transfer.ts";
import type { PageReceipt } from "./page-data.ts";
import { offerPayment } from "./pay-offer.ts";
import { readStoredReceipt, showReceipt } from "./receipt.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
showCopyButtons();
if (data.bought) showBought(data.bought);
else {
  leaveWalletAnswer();
  showEarlierPurchase();
  offerPayment(data, showEarlierPurchase);
  offerTransfer(data, showEarlierPurchase);
}

/** Shows content that the account has bought before; its text is part of the page. */
function showBought(receipt: PageReceipt): void {
  const content = byId("content");
  content.replaceChildren(renderMarkdown(content.textContent ?? ""));
  showReceipt(receipt.amount ? texts.paidBefore : texts.paid, receipt);
}

/** Offers to show again content that this browser has paid for and stored. */
function showEarlierPurchase(): void {
  try {
    const receipt = readStoredReceipt();
    if (!receipt) return;
    // Reading again comes first, because it costs nothing.
    byId("pay").before(byId("receipt"));
    showReceipt(texts.paidBefore, receipt);
    const content = readStoredContent();
    if (!content) return;
    const again = byId("again");
    again.hidden = false;
    again.onclick = () => void showContent(content.clone());
  } catch {
    // The stored text cannot be read, so nothing is offered.
  }
}
