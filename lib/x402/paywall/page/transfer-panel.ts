import { isPhone } from "../../../wallet-links/is-phone.ts";
import { LAST_WALLET, orderWallets } from "../../../wallet-links/last-wallet.ts";
import { qrPath } from "../../../wallet-links/qr-path.ts";
import {
  type LinkedTransfer,
  type TransferWallet,
  transferLinks,
  walletNames,
} from "../../../wallet-links/transfer-links.ts";
import { fill } from "../payment-page-texts.ts";
import { texts } from "./data.ts";
import { byId } from "./elements.ts";
import { nowMs } from "./kept-claims.ts";
import { readStored, store } from "./stored.ts";

const TICK_MS = 500;
/** Whole pixels, because modules of unequal width are hard to read. */
const MODULE_PX = 3;
const SVG = "http://www.w3.org/2000/svg";

let chosen: TransferWallet = "keychain";
let timer: ReturnType<typeof setInterval> | undefined;

/** Stores the wallet that was chosen last, so that the next payment shows it first. */
export const rememberWallet = (): void => {
  store(LAST_WALLET, chosen);
};

function readLastWallet(): unknown {
  try {
    return JSON.parse(readStored(LAST_WALLET) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Shows where to send a transfer: links on a phone, a code to scan elsewhere, and the texts to copy into any other
 * wallet. Calls `onEnd` once its offer has ended.
 */
export function showTransfer(transfer: LinkedTransfer, endsAtMs: number, onEnd: () => void): void {
  const panel = byId("transfer");
  const values = { amount: transfer.amount, payee: transfer.to };
  const isHere = isPhone();
  const links = transferLinks(transfer, isHere ? returnAddress() : {});
  const ordered = orderWallets(readLastWallet());
  chosen = ordered[0] ?? chosen;
  byId("transfer-says").textContent = fill(isHere ? texts.sendHere : texts.scan, values);
  byId("wallets").replaceChildren(
    ...ordered.map((wallet) => (isHere ? linkTo(wallet, links) : choice(wallet, links))),
  );
  byId("here").replaceChildren(...(isHere ? [] : ordered.map((wallet) => linkTo(wallet, links))));
  byId("here-too").hidden = isHere;
  if (!isHere) showCode(links[chosen]);
  for (const [id, text] of [
    ["send-to", transfer.to],
    ["send-amount", transfer.amount],
    ["send-memo", transfer.memo],
  ] as const) {
    byId(id).textContent = text;
    byId<HTMLButtonElement>(`${id}-copy`).value = text;
  }
  countDown(endsAtMs, onEnd);
  byId("begin").hidden = true;
  if (!panel.hidden) return;
  panel.hidden = false;
  panel.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

/** Hides the panel, and offers to begin again. */
export function hideTransfer(): void {
  clearInterval(timer);
  const hadFocus = byId("transfer").contains(document.activeElement);
  byId("transfer").hidden = true;
  byId("begin").hidden = false;
  if (hadFocus) byId("begin").focus();
}

/** Says what the page waits for, where screen readers announce it. */
export function sayOfTransfer(text: string): void {
  const status = byId("transfer-status");
  if (status.textContent !== text) status.textContent = text;
}

/** Returns this page's address, which HiveSigner sees; without one, a query could tell it a secret. */
const returnAddress = (): { returnTo?: string } =>
  location.search === "" ? { returnTo: location.origin + location.pathname } : {};

function linkTo(wallet: TransferWallet, links: Readonly<Record<TransferWallet, string>>): HTMLElement {
  const link = document.createElement("a");
  link.className = "wallet";
  link.href = links[wallet];
  link.textContent = fill(texts.open, { wallet: walletNames[wallet] });
  link.rel = "noreferrer noopener";
  // Without an address to return to, HiveSigner opens beside this page.
  if (wallet === "hivesigner" && location.search !== "") link.target = "_blank";
  link.onclick = () => {
    chosen = wallet;
    // HiveSigner may replace this page, which then does not see the payment itself.
    rememberWallet();
  };
  return link;
}

function choice(wallet: TransferWallet, links: Readonly<Record<TransferWallet, string>>): HTMLElement {
  const radio = document.createElement("input");
  radio.type = "radio";
  radio.name = "wallet";
  radio.checked = wallet === chosen;
  radio.onchange = () => {
    chosen = wallet;
    showCode(links[wallet]);
  };
  const label = document.createElement("label");
  label.append(radio, walletNames[wallet]);
  return label;
}

/** Draws the code in black on white in both themes, because scanners expect it. */
function showCode(link: string): void {
  const { size, path } = qrPath(link);
  const code = document.createElementNS(SVG, "svg");
  code.setAttribute("viewBox", `0 0 ${size} ${size}`);
  code.setAttribute("width", String(size * MODULE_PX));
  code.setAttribute("shape-rendering", "crispEdges");
  code.setAttribute("role", "img");
  code.setAttribute("aria-label", fill(texts.code, { wallet: walletNames[chosen] }));
  const bars = document.createElementNS(SVG, "path");
  bars.setAttribute("d", path);
  code.append(bars);
  byId("code").replaceChildren(code);
}

function countDown(endsAtMs: number, onEnd: () => void): void {
  clearInterval(timer);
  const tick = () => {
    const seconds = Math.ceil((endsAtMs - nowMs()) / 1000);
    const isOver = seconds <= 0;
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    byId("send-left").textContent = isOver ? texts.sendEnded : fill(texts.left, { time });
    byId("ways").hidden = isOver;
    byId("renew").hidden = !isOver;
    if (!isOver) return;
    clearInterval(timer);
    onEnd();
  };
  timer = setInterval(tick, TICK_MS);
  tick();
}
