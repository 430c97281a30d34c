import { unservedBelow500 } from "../unserved.ts";
import { readHeadScript } from "./payment-page-head.ts";
import { renderMarkdownScript } from "./payment-page-markdown.ts";

/**
 * The script of the payment page; its hash stands in the page's policy. Plain text because it runs without a build:
 * it reads the chain's time, asks Hive Keychain for a signature, and asks for the same address again with the payment.
 */
export const paymentPageScript = `
"use strict";
(() => {
  try {
    // The theme that somebody chose on other pages of this origin; without one the page follows the system.
    const theme = localStorage.getItem("theme");
    if (theme === "dark" || theme === "light") document.documentElement.classList.add(theme);
  } catch {}
  const byId = (id) => document.getElementById(id);
  const given = JSON.parse(byId("data").textContent);
  const { texts } = given;
  let offer = given.offer;
  let payment = null;

  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (whole, name) => values[name] ?? "");
  const say = (text) => { byId("status").textContent = text; };
  const encode = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  const decode = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));
  // The secret that makes the payment its holder's: the chain shows the rest of it to everybody.
  const makeHolder = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

${readHeadScript}
${renderMarkdownScript}
  // Offers end by the chain's time; a person needs minutes to find the wallet's window, to unlock it and to read.
  const LIFE_MS = 300000;
  const LEAST_MS = 240000;
  const SETTLING_MS = 15000;
  const LONG_MS = 10000;

  const renew = async () => {
    const response = await fetch(location.href, { headers: { accept: "application/json" }, cache: "no-store" });
    const fresh = response.status === 402 ? (await response.json()).accepts[0] : null;
    if (!fresh || fresh.maxAmountRequired !== offer.maxAmountRequired || fresh.payTo !== offer.payTo)
      throw new Error(texts.changed);
    offer = fresh;
  };

  const build = async (account) => {
    const { number, id, timeMs } = await readHead(given.nodes);
    if (Date.parse(offer.validBefore) < timeMs + LEAST_MS) await renew();
    const endMs = Math.min(timeMs + LIFE_MS, Date.parse(offer.validBefore));
    if (endMs < timeMs + SETTLING_MS + 9000) throw new Error(texts.expired);
    const prefix = [14, 12, 10, 8].map((at) => id.slice(at, at + 2)).join("");
    const nonce = offer.extra.nonce;
    const transfer = { from: account, to: offer.payTo, amount: offer.maxAmountRequired, memo: "x402:" + nonce };
    const transaction = {
      ref_block_num: number & 0xffff,
      ref_block_prefix: Number.parseInt(prefix, 16),
      expiration: new Date(endMs).toISOString().slice(0, 19),
      operations: [["transfer", transfer]],
      extensions: [],
    };
    return { transaction, nonce, leftMs: endMs - timeMs - SETTLING_MS };
  };

  // The wallet's question that has no answer yet: its window stays where it is when the page no longer waits.
  let asked = null;

  const sign = (account, transaction, leftMs) => new Promise((resolve, reject) => {
    if (asked && !asked.isTold) {
      asked.isTold = true;
      return reject(new Error(texts.stillAsking));
    }
    const question = { isTold: false };
    asked = question;
    const startedAt = performance.now();
    const timer = setInterval(tick, 500);
    let isOver = false;
    const end = (settle, value) => {
      isOver = true;
      clearInterval(timer);
      byId("waiting").hidden = true;
      settle(value);
    };
    function tick() {
      const waitedMs = performance.now() - startedAt;
      const left = Math.ceil((leftMs - waitedMs) / 1000);
      if (left <= 0) return end(reject, new Error(texts.ranOut));
      const time = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
      byId("left").textContent = fill(texts.left, { time });
      byId("long").hidden = waitedMs < LONG_MS;
    }
    byId("cancel").onclick = () => end(reject, new Error(texts.stopped));
    say(fill(texts.asks, { amount: offer.maxAmountRequired, payee: offer.payTo }));
    byId("long").hidden = true;
    byId("waiting").hidden = false;
    tick();
    byId("waiting").focus({ preventScroll: true });
    byId("waiting").scrollIntoView({ block: "nearest" });
    window.hive_keychain.requestSignTx(account, transaction, "Active", (answer) => {
      if (asked === question) asked = null;
      const isSigned = answer && answer.success && answer.result;
      // Nobody waits for it any more: nothing is paid with it, and a later question goes on.
      if (isOver) return isSigned && !byId("button").disabled ? say(texts.late) : undefined;
      if (isSigned) return end(resolve, answer.result.signatures);
      const said = answer && answer.message ? fill(texts.says, { said: String(answer.message).slice(0, 300) }) : "";
      const isCancelled = answer && answer.error === "user_cancel";
      end(reject, new Error((isCancelled ? fill(texts.cancelled, { account }) : texts.unsigned) + said));
    });
  });

  const show = async (response) => {
    const content = byId("content");
    const type = response.headers.get("content-type") || "";
    content.replaceChildren();
    const add = (name, text) => {
      const element = document.createElement(name);
      if (text !== undefined) element.textContent = text;
      content.append(element);
      return element;
    };
    if (/json/.test(type)) {
      const value = await response.json();
      const text = value && [value.body, value.text, value.content].find((part) => typeof part === "string");
      if (value && typeof value.title === "string" && text) {
        if (value.title !== byId("title").textContent) add("h2", value.title);
        content.append(renderMarkdown(text));
      } else add("pre", JSON.stringify(value, null, 2));
    } else if (/^text\\/html/.test(type)) {
      const frame = add("iframe");
      frame.title = texts.content;
      frame.setAttribute("sandbox", "");
      frame.srcdoc = await response.text();
    } else if (/^text\\/markdown/.test(type)) content.append(renderMarkdown(await response.text()));
    else if (/^text\\//.test(type)) add("pre", await response.text());
    else {
      const address = URL.createObjectURL(await response.blob());
      const kind = { image: "img", video: "video", audio: "audio" }[type.split("/")[0]];
      if (kind) {
        const element = add(kind);
        element.src = address;
        if (kind === "img") element.alt = texts.content; else element.controls = true;
      }
      const link = add("a", texts.save);
      link.href = address;
      link.download = location.pathname.split("/").pop() || "content";
    }
    content.hidden = false;
    byId("pay").hidden = true;
    byId("again").hidden = true;
    byId("kicker").textContent = texts.content;
    document.title = byId("title").textContent;
    // The receipt stands above it.
    content.focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  // No transfer holds for more blocks than these: a receipt of another block is of an earlier payment.
  const MOST_BLOCKS = 200;
  const isEarlier = (blockNum) => {
    if (blockNum === undefined) return false;
    const after = (blockNum - decode(payment).payload.signedTransaction.ref_block_num) & 0xffff;
    return after === 0 || after > MOST_BLOCKS;
  };

  const keepReceipt = (response) => {
    const { txId, blockNum, payer, network } = decode(response.headers.get("x-payment-response"));
    const wasBought = isEarlier(blockNum);
    const paidAt = wasBought ? null : response.headers.get("date");
    const kept = { txId, blockNum, payer, network, amount: offer.maxAmountRequired, paidAt };
    tell(texts.paid + (wasBought ? texts.wasBought : ""), kept);
    keep(receiptKey, kept);
  };

  // What was bought is read again for nothing: the browser keeps it, if it is text and no book.
  const contentKey = "x402-content:" + location.pathname + location.search;
  const MOST_KEPT = 262144;
  const keep = (key, value) => {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // The browser keeps nothing for this page.
    }
  };
  const keepContent = async (response) => {
    const type = response.headers.get("content-type") || "";
    if (!/json|^text\\//.test(type)) return;
    const text = await response.text();
    if (text.length <= MOST_KEPT) keep(contentKey, { type, text });
  };

  const receiptKey = "x402-receipt:" + location.pathname + location.search;
  const { lang } = document.documentElement;
  const locale = navigator.languages.find((name) => name.split("-")[0] === lang) ?? lang;
  const tell = (how, { txId, blockNum, payer, amount, paidAt }) => {
    const on = paidAt ? fill(texts.on, { when: new Date(paidAt).toLocaleString(locale) }) : "";
    const transaction = blockNum ? fill(texts.inBlock, { txId, blockNum }) : txId;
    byId("paid").textContent = fill(how, { payer, amount, on, transaction });
    byId("receipt").hidden = false;
  };

  // Where nothing can be copied, what is there can still be selected.
  for (const button of navigator.clipboard ? document.querySelectorAll(".copy") : []) {
    button.hidden = false;
    button.onclick = () => navigator.clipboard.writeText(button.value).then(() => {
      const told = button.nextElementSibling;
      told.textContent = texts.copied;
      setTimeout(() => { told.textContent = ""; }, 2000);
    }, () => {});
  }

  // What the account has bought before stands in the page already.
  if (given.bought) {
    byId("content").replaceChildren(renderMarkdown(byId("content").textContent));
    return tell(given.bought.amount ? texts.paidBefore : texts.paid, given.bought);
  }

  try {
    const kept = JSON.parse(localStorage.getItem(receiptKey));
    if (kept) {
      // Reading again comes first: it costs nothing.
      byId("pay").before(byId("receipt"));
      tell(texts.paidBefore, kept);
    }
    const content = kept && JSON.parse(localStorage.getItem(contentKey));
    if (content) {
      byId("again").hidden = false;
      byId("again").onclick = () => show(new Response(content.text, { headers: { "content-type": content.type } }));
    }
  } catch {
    // Nothing kept that could be read.
  }

  const send = async () => {
    for (let tries = 0; tries < 20; tries++) {
      const response = await fetch(location.href, {
        headers: { "x-payment": payment, accept: "application/json, text/html;q=0.9, */*;q=0.8" },
        cache: "no-store",
        redirect: "error",
      });
      if (response.status === 402) {
        const refusal = await response.json();
        // What the chain has refused may get into a block until it expires: it is sent again, and nothing else is signed.
        if (!["broadcast_rejected", "payment_rejected"].includes(refusal.code)) payment = null;
        offer = refusal.accepts[0];
        throw new Error(given.refusals[refusal.code] ?? refusal.error ?? texts.refused);
      }
      // Then it is not the shop's, but of somebody on the way.
      if (response.ok && !response.headers.has("x-payment-response")) throw new Error(texts.unreachable);
      if (response.ok) {
        // What is written down comes before what may break off, and before what is shown: who reads it may reload.
        keepReceipt(response);
        const content = await response.blob().catch(() => { throw new Error(texts.brokeOff); });
        payment = null;
        const whole = new Response(content, { headers: response.headers });
        await keepContent(whole.clone());
        return show(whole);
      }
      if (!${JSON.stringify([...unservedBelow500, 503])}.includes(response.status)) throw new Error(texts.failed);
      say(texts.onItsWay);
      await wait(Math.min(Number(response.headers.get("retry-after")) || 2, 10));
    }
    throw new Error(texts.slow);
  };

  const pay = async (event) => {
    event.preventDefault();
    const account = byId("account").value.trim().replace(/^@/, "").toLowerCase();
    byId("button").disabled = true;
    try {
      if (!payment) {
        say(texts.askingTime);
        const { transaction, nonce, leftMs } = await build(account);
        const signatures = await sign(account, transaction, leftMs);
        const signedTransaction = { ...transaction, signatures };
        payment = encode({ x402Version: 1, scheme: "exact", network: offer.network, payload: { signedTransaction, nonce, holder: makeHolder() } });
      }
      say(texts.paying);
      await send();
    } catch (error) {
      say(error instanceof TypeError ? texts.unreachable : error.message);
    } finally {
      byId("button").disabled = false;
    }
  };

  // The extension puts itself into the page some time after it has loaded.
  byId("none").hidden = true;
  byId("form").addEventListener("submit", pay);
  setTimeout(() => { byId("none").hidden = !byId("form").hidden; }, 1000);
  const look = () => {
    if (!window.hive_keychain || given.nodes.length === 0) return setTimeout(look, 100);
    byId("form").hidden = false;
    byId("none").hidden = true;
  };
  look();
})();
`;
