import { decodeBase64Json, HEADER_PAYMENT_RESPONSE } from "../../header.ts";
import type { PaymentPayload, SettleResponse } from "../../types.ts";
import { fill } from "../payment-page-texts.ts";
import { texts } from "./data.ts";
import { byId } from "./elements.ts";
import type { PageReceipt } from "./page-data.ts";
import { readStored, store } from "./stored.ts";

const MAX_CHARACTERS = 65_536;
/** No transfer is valid for more blocks, so a receipt for a block further away belongs to another payment. */
const MAX_LIFE_BLOCKS = 200;

const key = () => `x402-receipt:${location.pathname}${location.search}`;

/** Returns the stored text of the last receipt, which changes with each purchase; null if there is none. */
export const readReceiptText = (): string | null => readStored(key());

/** Reads the receipt of an earlier visit. @throws SyntaxError if it cannot be read */
export function readStoredReceipt(): PageReceipt | null {
  return JSON.parse(readReceiptText() ?? "null") as PageReceipt | null;
}

/** The payment of an answer: a signed one, a sent transfer, or `null` if the account returned without one. */
export type Paid = PaymentPayload | "sent" | null;

/** Shows and stores the receipt of a paid answer. */
export function takeReceipt({ headers }: Response, payment: Paid, amount: string): void {
  const header = headers.get(HEADER_PAYMENT_RESPONSE) ?? "";
  const settled = decodeBase64Json(header, MAX_CHARACTERS) as SettleResponse;
  const { txId = "", blockNum, payer = "", network } = settled;
  const wasBought = payment === null || (payment !== "sent" && isEarlier(blockNum, payment));
  const paidAt = wasBought ? null : headers.get("date");
  const receipt = { txId, blockNum, payer, network, amount, paidAt };
  showReceipt(texts.paid + (wasBought ? texts.wasBought : ""), receipt);
  store(key(), receipt);
}

/** Shows a receipt in a sentence such as `texts.paid`. */
export function showReceipt(
  sentence: string,
  { txId, blockNum, payer, amount = "", paidAt }: PageReceipt,
): void {
  const on = paidAt ? fill(texts.on, { when: new Date(paidAt).toLocaleString(localeOfReader()) }) : "";
  const transaction = blockNum ? fill(texts.inBlock, { txId, blockNum: String(blockNum) }) : txId;
  byId("paid").textContent = fill(sentence, { payer, amount, on, transaction });
  byId("receipt").hidden = false;
}

function isEarlier(blockNum: number | undefined, { payload }: PaymentPayload): boolean {
  if (blockNum === undefined) return false;
  const after = (blockNum - payload.signedTransaction.ref_block_num) & 0xffff;
  return after === 0 || after > MAX_LIFE_BLOCKS;
}

/** Returns the reader's regional variety of the page's language, for dates. */
function localeOfReader(): string {
  const { lang } = document.documentElement;
  return navigator.languages.find((name) => name.split("-")[0] === lang) ?? lang;
}
