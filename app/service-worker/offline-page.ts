import { type Colour, darkColours, declareColours, lightColours } from "../../lib/colours.ts";
import { readWords } from "./offline-words.ts";

/** The built script of `return-online.ts`. */
declare const RETURN_ONLINE_SCRIPT: string;

/** The colours that the page uses. */
const colours: readonly Colour[] = [
  "canvas",
  "surface",
  "line",
  "ink",
  "ink-soft",
  "accent",
  "accent-hover",
  "accent-ink",
  "ring",
];
const light = `${declareColours(lightColours, colours)};color-scheme:light`;
const dark = `${declareColours(darkColours, colours)};color-scheme:dark`;

function coloursOf(theme: string): string {
  if (theme === "light" || theme === "dark") return `:root{${theme === "dark" ? dark : light}}`;
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/** Renders the page that says that the server is unreachable. */
export async function renderOfflinePage(): Promise<Response> {
  const { lang, dir, theme, title, text, retry, waits } = await readWords();
  const nonce = crypto.randomUUID();
  const html = `<!doctype html>
<html lang="${escapeHtml(lang)}" dir="${escapeHtml(dir)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Hivegate</title>
<style>
${coloursOf(theme)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:flex;flex-direction:column;background:var(--canvas);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
header{width:100%;max-width:72rem;margin:0 auto;padding:.875rem 1rem;display:flex;align-items:center;gap:.5rem;font-size:1.25rem;font-weight:600}
@media(min-width:40rem){header{padding-inline:1.5rem}}
main{width:calc(100% - 2rem);max-width:32rem;margin:auto;padding:2rem 1.5rem;border:1px solid var(--line);border-radius:1rem;background:var(--surface);text-align:center}
main svg{color:var(--ink-soft)}
h1{margin:.5rem 0;font-size:1.25rem;line-height:1.4}
p{margin:0 0 1.25rem;color:var(--ink-soft);text-wrap:pretty}
p:last-child{margin:1.25rem 0 0;font-size:.8125rem}
a{display:inline-block;padding:.625rem 1.25rem;border-radius:.5rem;background:var(--accent);color:var(--accent-ink);font-weight:500;text-decoration:none}
a:hover{background:var(--accent-hover)}
a:focus-visible{outline:2px solid var(--ring);outline-offset:2px}
</style>
<header>
<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path d="M16 1.8 28.3 8.9v14.2L16 30.2 3.7 23.1V8.9z" fill="var(--accent)"/><path d="M10.6 22.4v-7.2a5.4 5.4 0 0 1 10.8 0v7.2M16 10v12.4M10.6 16.6h10.8" fill="none" stroke="var(--accent-ink)" stroke-width="2.1" stroke-linecap="round"/></svg>
Hivegate
</header>
<main>
<svg viewBox="0 0 24 24" width="28" height="28" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 20h.01M8.5 16.4a5 5 0 0 1 7 0M5 12.9a10 10 0 0 1 5.2-2.7M19 12.9a10 10 0 0 0-2-1.5M2 8.8a15 15 0 0 1 4.2-2.6M22 8.8A15 15 0 0 0 10.7 5M2 2l20 20"/></svg>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<a href="">${escapeHtml(retry)}</a>
<p>${escapeHtml(waits)}</p>
</main>
<script nonce="${nonce}">${RETURN_ONLINE_SCRIPT}</script>
</html>`;
  return new Response(html, {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'`,
    },
  });
}
