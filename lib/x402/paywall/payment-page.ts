import { sha256 } from "@noble/hashes/sha2.js";
import { MAINNET_CHAIN_ID } from "../../chains.ts";
import { distinctNodes } from "../../hive/distinct-nodes.ts";
import type { PaymentRequired } from "../types.ts";
import { paymentPageScript } from "./payment-page-script.ts";

/** The style of the payment page; its hash stands in the page's policy. */
const paymentPageStyle = `
:root{color-scheme:light dark;--back:#f6f4ee;--card:#fffdf8;--raised:#fff;--sunken:#ece8dd;--text:#1d1b16;--soft:#565043;--line:#ddd7c8;--edge:#8d8674;--accent:#f2b233;--on-accent:#241a00;--link:#7d5200;--wash:#fdf0d0;--good:#e0f2e5}
@media (prefers-color-scheme:dark){:root{--back:#14130f;--card:#1b1a15;--raised:#24221b;--sunken:#100f0c;--text:#f3efe4;--soft:#c3bcab;--line:#35322a;--edge:#7b7565;--link:#f7c25a;--wash:#3a2d10;--good:#173423}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
main{max-width:40rem;margin:0 auto;padding:clamp(1rem,5vw,3rem) 1rem}
.kicker{margin:0;color:var(--soft);font-size:.875rem}
h1{margin:.25rem 0 1.5rem;font-size:clamp(1.25rem,5vw,1.75rem);line-height:1.25;overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.25rem}
a{color:var(--link)}
[hidden]{display:none!important}
#price{margin:0 0 1rem;font-size:1.75rem;line-height:1.2;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
form{display:grid;gap:.5rem}
input,button{font:inherit;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem}
input{width:100%;border:1px solid var(--edge);background:var(--raised);color:var(--text)}
button{border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
#cancel{border:1px solid var(--edge);background:var(--raised);color:var(--text);font-weight:500}
#waiting{margin-top:.75rem;padding:1rem;border:1px solid var(--accent);border-radius:.75rem;background:var(--wash)}
#waiting p{margin:0 0 .5rem;font-variant-numeric:tabular-nums}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
#status{margin:.75rem 0 0;min-height:1.6em}
#paid{margin:0}
#again{margin-top:.5rem}
#receipt{padding:.75rem 1rem;border-radius:.75rem;background:var(--good);font-size:.875rem;overflow-wrap:anywhere}
#content{line-height:1.75;overflow-wrap:anywhere}
#content h2,#content h3{margin:1.75rem 0 .5rem;line-height:1.3}
#content h2:first-child{margin-top:0}
#content blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
#content code{padding:.1em .3em;border-radius:.25rem;background:var(--sunken);font-size:.9em}
#content pre code{padding:0}
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
<title>Payment required: ${escapeHtml(description)}, ${escapeHtml(maxAmountRequired)}</title>
<style>${paymentPageStyle}</style>
</head>
<body>
<main>
<header>
<p id="kicker" class="kicker">402 Payment required</p>
<h1 id="title">${escapeHtml(description)}</h1>
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
<p id="none">HBD is the dollar-like currency of the Hive chain; a payment takes about three seconds and costs no fee. To pay here, install the <a href="https://hive-keychain.com" rel="noreferrer noopener">Hive Keychain extension</a>. Programs pay by sending a signed transfer in the <code>x-payment</code> header.</p>
<p id="status" role="status" aria-live="polite">${escapeHtml(refusal)}</p>
<div id="waiting" hidden tabindex="-1">
<p id="left"></p>
<p id="long" role="status" hidden>Keychain has not answered: look for its window; is it unlocked and set up?</p>
<button id="cancel" type="button">Cancel</button>
</div>
</section>
<div id="receipt" hidden>
<p id="paid"></p>
<button id="again" type="button" hidden>Read it again, for nothing</button>
</div>
<section id="content" hidden tabindex="-1" aria-label="Paid content"></section>
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
  return `<p>This is not Hive's main chain. In Keychain, open the menu (☰), Advanced settings, RPC Node, untick Switch automatically, press +, give this address, tick Testnet, give this chain id, tick Set new RPC node as active, and save it before you pay.</p>
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
