import { sha256 } from "@noble/hashes/sha2.js";
import { distinctNodes, MAINNET_CHAIN_ID } from "../../chains.ts";
import { type Colour, darkColours, declareColours, lightColours } from "../../colours.ts";
import { SIGN_IN_WITH_X } from "../sign-in-text.ts";
import type { PaymentRequired } from "../types.ts";
import type { PageData, PageReceipt } from "./page/page-data.ts";
import type { PageChain } from "./page-chain.ts";
import { paymentPageScript } from "./payment-page-script.ts";
import { fill, type PageLanguage, type PageTexts, pageTexts } from "./payment-page-texts.ts";

/** The colours that the page uses. */
const colours: readonly Colour[] = [
  "canvas",
  "surface",
  "raised",
  "sunken",
  "ink",
  "ink-soft",
  "line",
  "line-strong",
  "accent",
  "accent-ink",
  "link",
  "ring",
  "warn",
  "warn-wash",
  "good-wash",
];
const light = declareColours(lightColours, colours);
const dark = declareColours(darkColours, colours);

/** The style of the payment page; the page's policy contains its hash. */
const paymentPageStyle = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root:not(.light){${dark}}}
:root.dark{color-scheme:dark;${dark}}
:root.light{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:1rem/1.6 system-ui,sans-serif,"Apple Color Emoji","Segoe UI Emoji","Noto Color Emoji"}
main{max-width:40rem;margin:0 auto;padding:clamp(1rem,5vw,3rem) 1rem}
.kicker{margin:0;color:var(--ink-soft);font-size:.8125rem}
h1{margin:.25rem 0 1.5rem;font-size:1.25rem;line-height:1.25;overflow-wrap:anywhere}
@media (min-width:40rem){h1{font-size:1.75rem}}
section{background:var(--surface);border:1px solid var(--line);border-radius:1rem;padding:1.25rem}
a{color:var(--link)}
[hidden]{display:none!important}
#price{margin:0 0 1rem;font-size:1.75rem;line-height:1.2;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:var(--ink-soft)}
dd{margin:0;overflow-wrap:anywhere}
form{display:grid;gap:.5rem}
input,button{font:inherit;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem}
input{width:100%;border:1px solid var(--line-strong);background:var(--raised);color:var(--ink)}
button{border:0;background:var(--accent);color:var(--accent-ink);font-weight:600;cursor:pointer}
#back,#cancel,#begin,#leave,.copy{border:1px solid var(--line-strong);background:var(--raised);color:var(--ink);font-weight:500}
.copy{min-height:2rem;padding:.125rem .5rem;font-size:.8125rem}
@media (pointer:coarse){.copy{min-height:2.75rem}}
#waiting{margin-top:.75rem;padding:1rem;border:1px solid var(--warn);border-radius:.75rem;background:var(--warn-wash)}
#waiting p{margin:0 0 .5rem;font-variant-numeric:tabular-nums}
#begin{width:100%;margin-top:.5rem}
#transfer{margin-top:.75rem;padding:1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--raised)}
#transfer p{margin:0 0 .75rem}
#transfer-says{font-weight:600;overflow-wrap:anywhere}
#transfer-status:empty{display:none}
#send-left{color:var(--ink-soft);font-variant-numeric:tabular-nums}
#wallets{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin-bottom:.75rem}
#wallets label{display:flex;align-items:center;gap:.5rem;min-height:2.75rem}
#wallets input{width:auto;min-height:0}
.wallet{display:flex;align-items:center;justify-content:center;width:100%;min-height:2.75rem;margin-top:.5rem;border:1px solid var(--line-strong);border-radius:.5rem;background:var(--raised);color:var(--ink);font-weight:500;text-decoration:none}
#wallets .wallet:first-child{border-color:var(--accent);background:var(--accent);color:var(--accent-ink);font-weight:600}
#code svg{display:block;max-width:100%;height:auto;margin:0 auto .75rem;border-radius:.5rem;background:#fff;fill:#000}
summary{padding:.625rem 0;color:var(--link);font-weight:500;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--ring);outline-offset:2px}
#status{margin:.75rem 0 0;min-height:1.6em}
#paid{margin:0}
#again{margin-top:.5rem}
#receipt,#receipt+#pay,#content{margin-top:1rem}
#receipt{padding:.75rem 1rem;border-radius:.75rem;background:var(--good-wash);font-size:.8125rem;overflow-wrap:anywhere}
#content{line-height:1.75;overflow-wrap:anywhere}
#content h2,#content h3{margin:1.75rem 0 .5rem;font-size:1.25rem;line-height:1.3}
#content h3{font-size:1rem}
#content>:first-child>:first-child{margin-top:0}
#content blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--ink-soft)}
#content code{padding:.1em .3em;border-radius:.25rem;background:var(--sunken);font-size:.8125rem}
#content pre code{padding:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:.8125rem/1.5 ui-monospace,monospace}
iframe{width:100%;height:70vh;border:0;background:#fff}
img,video,audio{max-width:100%}
`;

const hashOf = (text: string) =>
  `'sha256-${btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))))}'`;

const scriptHash = hashOf(paymentPageScript);
const styleHash = hashOf(paymentPageStyle);

/** An answer's headers and its HTML. */
export type Page = { headers: Array<[string, string]>; body: string };

/**
 * Renders the 402 answer as a page for people: the price, and a way to pay with the Hive Keychain extension.
 * The page loads nothing, and its policy allows connections only to this server and the chain nodes.
 */
export function paymentPage(
  required: PaymentRequired,
  chain: PageChain,
  language: PageLanguage = "en",
): Page {
  const { page, script, refusals } = pageTexts[language];
  const [offer] = required.accepts;
  const { chainId } = chain;
  const nodes = distinctNodes(chain.nodes);
  const { maxAmountRequired = "", payTo = "", resource = "", network = "" } = offer ?? {};
  const what = offer?.description;
  const { code = "", error = "" } = required;
  const refusal = code === "payment_required" ? "" : (refusals[code] ?? error);
  const isMainChain = chainId === MAINNET_CHAIN_ID;
  const link = `<a href="https://hive-keychain.com" rel="noreferrer noopener">${page.extension}</a>`;
  const canPay = nodes.length > 0;
  const canReturn = required.extensions?.[SIGN_IN_WITH_X] !== undefined;
  const sends = required.transfer !== undefined;
  const about = [
    page.about,
    ...(canPay ? [fill(sends ? page.installToo : page.install, { link })] : sends ? [] : [page.noWallet]),
    fill(page.programs, { header: "<code>x-payment</code>" }),
  ].join(" ");
  const toCopy = (text: string, label: string) =>
    `${escapeHtml(text)} <button class="copy" type="button" hidden value="${escapeHtml(text)}" aria-label="${label}">${page.copy}</button> <span role="status"></span>`;
  const main = `<section id="pay" aria-labelledby="price">
<h2 id="price">${escapeHtml(maxAmountRequired)}</h2>
${listOf([
  [page.to, escapeHtml(`@${payTo}`)],
  [page.for, escapeHtml(resource)],
  [page.network, fill(isMainChain ? page.mainChain : "{network}", { network: escapeHtml(network) })],
])}
${isMainChain || !canPay ? "" : `<p>${fill(page.otherChain, { chainId: chainId === null ? page.unnamedChainId : page.thisChainId })}</p>`}
${isMainChain ? "" : listOf([...nodes.slice(0, 1).map((node): Row => [page.node, toCopy(node, page.copyNode)]), ...(chainId === null ? [] : [[page.chainId, toCopy(chainId, page.copyChainId)] as Row])])}
<form id="form" hidden>
<label for="account">${page.account}</label>
<input id="account" name="account" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="16" required>
<button id="button" type="submit">${page.pay}</button>
<button id="back" type="button"${canReturn ? "" : " hidden"}>${page.comeBack}</button>
</form>
${sends ? transferPart(page) : ""}<p id="none">${about}</p>
<p id="status" role="status" aria-live="polite">${escapeHtml(refusal)}</p>
<div id="waiting" hidden tabindex="-1">
<p id="left"></p>
<p id="long" role="status" hidden>${page.noAnswer}</p>
<button id="cancel" type="button">${page.cancel}</button>
</div>
</section>
<div id="receipt" hidden>
<p id="paid"></p>
<button id="again" type="button" hidden>${page.again}</button>
</div>
<section id="content" hidden tabindex="-1" aria-label="${page.content}"></section>`;
  return render({
    ...{ language, nodes, main },
    ...{ heading: what ?? page.unnamed, kicker: page.kicker },
    title: fill(what === undefined ? page.unnamedTitle : page.title, {
      what: what ?? "",
      price: maxAmountRequired,
    }),
    data: { offer, nodes, sends, texts: script, refusals },
  });
}

/** The part in which any wallet pays, which the script fills. */
function transferPart(page: PageTexts["page"]): string {
  const row = (id: string, name: string, label: string): Row => [
    name,
    `<code id="${id}"></code> <button id="${id}-copy" class="copy" type="button" hidden aria-label="${label}">${page.copy}</button> <span role="status"></span>`,
  ];
  return `<button id="begin" type="button" hidden>${page.anyWallet}</button>
<div id="transfer" role="group" aria-labelledby="transfer-says" hidden tabindex="-1">
<p id="transfer-says"></p>
<div id="ways">
<div id="wallets" role="group" aria-label="${page.wallets}"></div>
<div id="code"></div>
<details id="here-too"><summary>${page.walletHere}</summary><div id="here"></div></details>
<details><summary>${page.otherWallet}</summary>
<p>${page.exactly}</p>
${listOf([
  row("send-to", page.to, page.copyTo),
  row("send-amount", page.amount, page.copyAmount),
  row("send-memo", page.memo, page.copyMemo),
])}
</details>
</div>
<p id="transfer-status" role="status"></p>
<p id="send-left"></p>
<button id="renew" type="button" hidden>${page.renew}</button>
<button id="leave" type="button">${page.otherWay}</button>
</div>
`;
}

/** An earlier purchase, shown to returning readers as the payment page showed it when they paid. */
export type Bought = {
  title: string;
  /** The text in Markdown. */
  text: string;
  /** The language of the text, in the format of `lang`. */
  textLanguage: string;
  receipt: PageReceipt;
};

/** Renders a page with a purchase and its receipt. Without scripts it shows the text as written. */
export function boughtPage({ title, text, textLanguage, receipt }: Bought, language: PageLanguage): Page {
  const { page, script } = pageTexts[language];
  const main = `<div id="receipt" hidden>
<p id="paid"></p>
</div>
<section id="content" tabindex="-1" lang="${escapeHtml(textLanguage)}" aria-label="${page.content}"><pre>
${escapeHtml(text)}</pre></section>`;
  return render({
    ...{ language, nodes: [], main, title, heading: title, kicker: page.content },
    data: { texts: script, bought: receipt },
  });
}

function render({
  language,
  nodes,
  title,
  kicker,
  heading,
  main,
  data,
}: {
  language: PageLanguage;
  nodes: readonly string[];
  title: string;
  kicker: string;
  heading: string;
  /** HTML. */
  main: string;
  data: PageData;
}): Page {
  const origins = [...new Set(nodes.map((node) => new URL(node).origin))].join(" ");
  const policy = [
    "default-src 'none'",
    `script-src ${scriptHash}`,
    `style-src ${styleHash}`,
    `connect-src 'self' ${origins}`,
    "img-src 'self' data: blob:",
    "media-src blob:",
    "frame-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const body = `<!doctype html>
<html lang="${language}" dir="${pageTexts[language].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${paymentPageStyle}</style>
</head>
<body>
<main>
<header>
<p id="kicker" class="kicker">${escapeHtml(kicker)}</p>
<h1 id="title" dir="auto">${escapeHtml(heading)}</h1>
</header>
${main}
</main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script>${paymentPageScript}</script>
</body>
</html>
`;
  const headers: Array<[string, string]> = [
    ["content-type", "text/html; charset=utf-8"],
    ["content-language", language],
    ["content-security-policy", policy],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
  ];
  return { headers, body };
}

/** A name that is trusted text, and a value that is HTML. */
type Row = [name: string, value: string];

const listOf = (rows: readonly Row[]) =>
  `<dl>\n${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("\n")}\n</dl>`;

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
