import { createHash } from "node:crypto";
import { type Colour, darkColours, declareColours, lightColours } from "../colours.ts";
import type { CodedError } from "../errors.ts";
import type { Asker } from "./wallet-challenges.ts";
import type { SignedByWallet } from "./wallet-logins.ts";
import { type WalletPageLanguage, walletPageTexts } from "./wallet-page-texts.ts";

const colours: readonly Colour[] = [
  "canvas",
  "surface",
  "ink",
  "ink-soft",
  "line",
  "line-strong",
  "raised",
  "danger",
  "ring",
];
const style = `
:root{color-scheme:light dark;${declareColours(lightColours, colours)}}
@media (prefers-color-scheme:dark){:root{${declareColours(darkColours, colours)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
main{max-width:32rem;margin:0 auto;padding:clamp(1.5rem,10vh,6rem) 1rem}
section{background:var(--surface);border:1px solid var(--line);border-radius:1rem;padding:1.25rem}
h1{margin:0 0 .75rem;font-size:1.25rem;line-height:1.35;overflow-wrap:anywhere}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
.soft{color:var(--ink-soft)}
form{margin-top:1.25rem;padding-top:1.25rem;border-top:1px solid var(--line)}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1rem;border-radius:.5rem;border:1px solid var(--line-strong);background:var(--raised);color:var(--danger);cursor:pointer}
.go{color:var(--ink)}
:focus-visible{outline:3px solid var(--ring);outline-offset:2px}
`;
const styleHash = createHash("sha256").update(style).digest("base64");
/** Removes the code of a wallet from the address, so that neither history nor a copied address contains it. */
const script = `history.replaceState(null,"",document.documentElement.dataset.address)`;
const scriptHash = createHash("sha256").update(script).digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Renders what a wallet has signed in, with a button that ends it. */
export function walletPage(
  { account, asker, endToken, end }: SignedByWallet,
  id: string,
  language: WalletPageLanguage,
  { hidesAddress = false } = {},
): Response {
  const address = hidesAddress ? addressOf(id) : undefined;
  const texts = walletPageTexts[language];
  if (end === "done")
    return render(language, texts.ended(account), [`<p>${texts.changeKeys}</p>`], { address });
  if (end === "begun")
    return render(
      language,
      texts.notEnded,
      [`<p>${texts.pressAgain}</p>`, ...endForm(id, endToken, language)],
      { address },
    );
  const lines = [
    `<p>${escapeHtml(texts.asked(deviceOf(asker, language), asker.address))}</p>`,
    `<p class="soft">${texts.goBack}</p>`,
    ...endForm(id, endToken, language, [`<p>${texts.notYou}</p>`]),
  ];
  return render(language, texts.signedIn(account), lines, { address });
}

const addressOf = (id: string) => `/api/auth/wallet/${encodeURIComponent(id)}`;

/** Renders which browser asks for a sign-in, with the button by which the owner of a code admits it. */
export function walletConsentPage(
  { account, asker }: Pick<SignedByWallet, "account" | "asker">,
  { id, code }: { id: string; code: string },
  language: WalletPageLanguage,
): Response {
  const texts = walletPageTexts[language];
  const lines = [
    `<p>${escapeHtml(texts.askedBy(deviceOf(asker, language), asker.address))}</p>`,
    `<p>${texts.onlyYours}</p>`,
    `<form method="post" action="${addressOf(id)}/code">`,
    `<input type="hidden" name="code" value="${escapeHtml(code)}">`,
    `<button type="submit" class="go">${texts.allow}</button>`,
    "</form>",
    `<p class="soft">${texts.orClose}</p>`,
  ];
  return render(language, texts.consent(account), lines, { address: addressOf(id) });
}

/** Renders that a code arrived in another browser than the one that asked for it. */
export const walletOtherBrowserPage = (language: WalletPageLanguage): Response => {
  const texts = walletPageTexts[language];
  return render(language, texts.notSignedIn, [`<p>${texts.otherBrowser}</p>`], { status: 401, address: "/" });
};

/** Renders that the owner of a wallet has signed nothing. */
export const walletDeclinedPage = (language: WalletPageLanguage): Response => {
  const texts = walletPageTexts[language];
  return render(language, texts.notSignedIn, [`<p>${texts.declined}</p>`]);
};

const endForm = (
  id: string,
  endToken: string,
  language: WalletPageLanguage,
  lines: readonly string[] = [],
): string[] => [
  `<form method="post" action="${addressOf(id)}/end">`,
  `<input type="hidden" name="endToken" value="${escapeHtml(endToken)}">`,
  ...lines,
  `<button type="submit">${walletPageTexts[language].end}</button>`,
  "</form>",
];

/** Renders the confirmation that a sign-in has ended. */
export function walletEndedPage(account: string, language: WalletPageLanguage): Response {
  const texts = walletPageTexts[language];
  return render(language, texts.ended(account), [`<p>${texts.changeKeys}</p>`]);
}

/** Renders that a sign-in has not ended, with the button again if that may help. */
export function walletNotEndedPage(
  { status }: CodedError,
  { id, endToken }: { id: string; endToken: string | undefined },
  language: WalletPageLanguage,
): Response {
  const texts = walletPageTexts[language];
  const lines =
    status >= 500 && endToken !== undefined
      ? [`<p>${texts.pressAgain}</p>`, ...endForm(id, endToken, language)]
      : [`<p>${texts.wrongButton}</p>`];
  return render(language, texts.notEnded, lines, { status });
}

/** Renders the reason why a wallet's proof signed nobody in. `address` replaces that of a page that is not worth loading again. */
export function walletFailurePage(
  { code, status }: CodedError,
  language: WalletPageLanguage,
  { address }: { address?: string | undefined } = {},
): Response {
  const texts = walletPageTexts[language];
  const ofCode: Partial<Record<CodedError["code"], string>> = {
    challenge_expired: texts.late,
    invalid_request: texts.noAnswer,
  };
  const text = ofCode[code] ?? (status >= 500 ? texts.unavailable : texts.refused);
  const lines = [`<p>${text}</p>`];
  return render(language, texts.notSignedIn, lines, { status, ...(status < 500 && { address }) });
}

/** Returns `Firefox / Linux`, with the page's site if it is another one. */
function deviceOf({ program, system, site }: Asker, language: WalletPageLanguage): string {
  const device = [program, system].filter(Boolean).join(" / ");
  return [device, site && walletPageTexts[language].pageOf(site)].filter(Boolean).join(", ");
}

function render(
  language: WalletPageLanguage,
  title: string,
  lines: readonly string[],
  /** `address` replaces that of the page. */
  { status = 200, address }: { status?: number; address?: string | undefined } = {},
): Response {
  const html = `<!doctype html>
<html lang="${language}"${address === undefined ? "" : ` data-address="${escapeHtml(address)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>${address === undefined ? "" : `\n<script>${script}</script>`}
</head>
<body>
<main>
<section>
<h1>${escapeHtml(title)}</h1>
${lines.join("\n")}
</section>
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": language,
      "content-security-policy": policy,
    },
  });
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
