import { sha256 } from "@noble/hashes/sha2.js";
import { MAINNET_CHAIN_ID } from "../../chains.ts";
import { distinctNodes } from "../../hive/distinct-nodes.ts";
import type { PaymentRequired } from "../types.ts";
import { paymentPageScript } from "./payment-page-script.ts";

/** The style of the payment page; its hash stands in the page's policy. */
const paymentPageStyle = `
:root{color-scheme:light dark;--back:#f7f7f5;--card:#fff;--text:#1c1b1a;--soft:#5f5d59;--line:#deddd9;--accent:#b3261e;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--back:#161514;--card:#201f1d;--text:#efeeea;--soft:#a9a6a0;--line:#3a3835;--accent:#ff8a80;--on-accent:#2a0a07}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
main{max-width:40rem;margin:0 auto;padding:clamp(1rem,5vw,3rem) 1rem}
.kicker{margin:0;color:var(--soft);font-size:.875rem}
h1{margin:.25rem 0 1.5rem;font-size:clamp(1.25rem,5vw,1.75rem);line-height:1.25;overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem}
h2{margin:0 0 1rem;font-size:2rem;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
form{display:grid;gap:.5rem}
form[hidden]{display:none}
input,button{font:inherit;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem}
input{width:100%;border:1px solid var(--soft);background:var(--back);color:var(--text)}
button{border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#status{margin:.75rem 0 0;min-height:1.6em}
#receipt{color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:.875rem/1.5 ui-monospace,monospace}
iframe{width:100%;height:70vh;border:0;background:#fff}
img,video,audio{max-width:100%}
`;

const hashOf = (text: string) =>
  `'sha256-${btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))))}'`;

const scriptHash = hashOf(paymentPageScript);
const styleHash = hashOf(paymentPageStyle);

/**
 * The 402 answer as a page for people: what is asked for, and a way to pay with the Hive Keychain extension. It loads
 * nothing, and its policy lets it talk to this server and to the chain nodes only.
 */
export function paymentPage(
  required: PaymentRequired,
  chain: { chainId: string | null; nodes: readonly string[] },
): { headers: Array<[string, string]>; body: string } {
  const [offer] = required.accepts;
  const { chainId } = chain;
  const nodes = distinctNodes(chain.nodes);
  const { maxAmountRequired = "", payTo = "", resource = "", network = "" } = offer ?? {};
  const data = JSON.stringify({ offer, nodes }).replaceAll("<", "\\u003c");
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
  const description = offer?.description ?? "This page is paid content.";
  const refusal = required.code === "payment_required" ? "" : (required.error ?? "");
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Payment required: ${escapeHtml(maxAmountRequired)}</title>
<style>${paymentPageStyle}</style>
</head>
<body>
<main>
<header>
<p class="kicker">402 Payment required</p>
<h1>${escapeHtml(description)}</h1>
</header>
<section id="pay" aria-labelledby="price">
<h2 id="price">${escapeHtml(maxAmountRequired)}</h2>
<dl>
<dt>To</dt><dd>@${escapeHtml(payTo)}</dd>
<dt>For</dt><dd class="address">${escapeHtml(resource)}</dd>
<dt>Network</dt><dd>${escapeHtml(network)}${chainId === MAINNET_CHAIN_ID ? ", Hive's main chain" : ""}</dd>
</dl>
${chainId === MAINNET_CHAIN_ID ? "" : walletSteps(chainId, nodes)}
<form id="form" hidden>
<label for="account">Your Hive account</label>
<input id="account" name="account" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="16" required>
<button id="button" type="submit">Pay with Hive Keychain</button>
</form>
<p id="none">HBD is the dollar-like currency of the Hive chain; a payment takes about three seconds and costs no fee. To pay here, install the Hive Keychain extension (hive-keychain.com) and load this page again. Programs pay by sending a signed transfer in the <code>x-payment</code> header.</p>
<p id="status" role="status" aria-live="polite">${escapeHtml(refusal)}</p>
</section>
<section id="content" hidden tabindex="-1" aria-label="Paid content"></section>
<p id="receipt" hidden></p>
</main>
<script type="application/json" id="data">${data}</script>
<script>${paymentPageScript}</script>
</body>
</html>
`;
  const headers: Array<[string, string]> = [
    ["content-type", "text/html; charset=utf-8"],
    ["content-security-policy", policy],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
  ];
  return { headers, body };
}

/** A wallet is on the main chain until somebody says otherwise, and then its signatures count there alone. */
function walletSteps(chainId: string | null, nodes: readonly string[]): string {
  const rows = [
    ...nodes.slice(0, 1).map((node) => ["Node", node]),
    ...(chainId === null ? [] : [["Chain id", chainId]]),
  ]
    .map(([name, value = ""]) => `<dt>${name}</dt><dd class="address">${escapeHtml(value)}</dd>`)
    .join("\n");
  return `<p>This is not Hive's main chain. In Keychain, open Settings, Advanced settings, RPC nodes, add this node as a testnet with this chain id, and choose it before you pay.</p>
<dl>
${rows}
</dl>`;
}

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
