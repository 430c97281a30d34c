// Keeps the built scripts and styles of one build, and answers for a server that is out of reach. What the API
// answers, pages included, is asked of the server every time and never kept. The empty page of the chat is, for when
// the server is out of reach: the chat fills it with the messages that it keeps itself, until whoever is signed in leaves.

const BUILD = new URL(self.location.href).searchParams.get("build") ?? "";
const ASSETS = `hivegate-assets-${BUILD}`;
const EMOJI_TABLE = "/emoji/short-names.json";
const WORDS = "hivegate-offline";
const WORDS_AT = "/offline-words";

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

async function takeOver() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("hivegate-assets-") && name !== ASSETS);
  await Promise.all(old.map((name) => caches.delete(name)));
  // Where a preload fails, Firefox shows its own error page, whatever is answered here.
  await self.registration.navigationPreload?.disable();
  await self.clients.claim();
}

// The page tells in what words and colours it is to be said that the server is out of reach.
self.addEventListener("message", (event) => event.waitUntil(keepWords(event.data)));

async function keepWords(words) {
  const cache = await caches.open(WORDS);
  await cache.put(WORDS_AT, new Response(JSON.stringify(words)));
}

// Its data is the path of the message that it tells of. A tab with a chat open shows it without loading anew.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open(path) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const chat = tabs.find(({ url }) => /^\/chat(\/|$)/.test(new URL(url).pathname));
  if (!chat) return self.clients.openWindow(path);
  chat.postMessage({ open: path });
  return chat.focus();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(navigate(event));
  // Their names change with their content; the table of emoji, which the first message waits for, with the build.
  else if (BUILD !== "" && (pathname.startsWith("/_next/static/") || pathname === EMOJI_TABLE))
    event.respondWith(asset(request));
});

async function navigate(event) {
  const { request } = event;
  const { pathname } = new URL(request.url);
  const isChat = BUILD !== "" && /^\/chat(\/|$)/.test(pathname);
  try {
    const response = await fetch(request);
    if (isChat && response.ok && !response.redirected)
      event.waitUntil(keepChatPage(pathname, response.clone()));
    return response;
  } catch {
    return (isChat && (await keptChatPage(pathname))) || offlinePage();
  }
}

const MOST_CHAT_PAGES = 20;

async function keepChatPage(pathname, response) {
  try {
    const cache = await caches.open(ASSETS);
    await cache.delete(pathname);
    await cache.put(pathname, response);
    const pages = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/chat"));
    await Promise.all(pages.slice(0, -MOST_CHAT_PAGES).map((page) => cache.delete(page)));
  } catch {
    // A full disk keeps what it has.
  }
}

/** The kept page of a chat address, where the chat keeps messages to show in it. */
async function keptChatPage(pathname) {
  if (!(await caches.match("/kept-chat"))) return undefined;
  return (await caches.open(ASSETS)).match(pathname);
}

async function asset(request) {
  const cache = await caches.open(ASSETS);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

const english = {
  lang: "en",
  dir: "ltr",
  theme: "system",
  title: "You are offline",
  text: "The server can't be reached from here. What you wrote and what you paid for is kept. Check the connection.",
  retry: "Try again",
  waits: "This page opens by itself once the server can be reached.",
};

const light = "--canvas:#f6f4ee;--surface:#fffdf8;--line:#ddd7c8;--ink:#1d1b16;--soft:#565043;--ring:#1f62c4;color-scheme:light";
const dark = "--canvas:#14130f;--surface:#1b1a15;--line:#35322a;--ink:#f3efe4;--soft:#c3bcab;--ring:#78b0f2;color-scheme:dark";

function coloursOf(theme) {
  if (theme === "light" || theme === "dark") return `:root{${theme === "dark" ? dark : light}}`;
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const safe = (text) => String(text).replace(/[&<>"]/g, (character) => entities[character]);

async function offlinePage() {
  const kept = await (await caches.open(WORDS)).match(WORDS_AT);
  const words = { ...english, ...(kept && (await kept.json())) };
  const { lang, dir, theme, title, text, retry, waits } = words;
  const nonce = crypto.randomUUID();
  const html = `<!doctype html>
<html lang="${safe(lang)}" dir="${safe(dir)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${safe(title)} · Hivegate</title>
<style>
${coloursOf(theme)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:flex;flex-direction:column;background:var(--canvas);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
header{width:100%;max-width:72rem;margin:0 auto;padding:.875rem 1rem;display:flex;align-items:center;gap:.5rem;font-size:1.25rem;font-weight:600}
@media(min-width:40rem){header{padding-inline:1.5rem}}
main{width:calc(100% - 2rem);max-width:32rem;margin:auto;padding:2rem 1.5rem;border:1px solid var(--line);border-radius:1rem;background:var(--surface);text-align:center}
main svg{color:var(--soft)}
h1{margin:.5rem 0;font-size:1.25rem;line-height:1.4}
p{margin:0 0 1.25rem;color:var(--soft);text-wrap:pretty}
p:last-child{margin:1.25rem 0 0;font-size:.8125rem}
a{display:inline-block;padding:.625rem 1.25rem;border-radius:.5rem;background:#f2b233;color:#241a00;font-weight:500;text-decoration:none}
a:hover{background:#e3a11d}
a:focus-visible{outline:2px solid var(--ring);outline-offset:2px}
</style>
<header>
<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path d="M16 1.8 28.3 8.9v14.2L16 30.2 3.7 23.1V8.9z" fill="#f2b233"/><path d="M10.6 22.4v-7.2a5.4 5.4 0 0 1 10.8 0v7.2M16 10v12.4M10.6 16.6h10.8" fill="none" stroke="#241a00" stroke-width="2.1" stroke-linecap="round"/></svg>
Hivegate
</header>
<main>
<svg viewBox="0 0 24 24" width="28" height="28" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 20h.01M8.5 16.4a5 5 0 0 1 7 0M5 12.9a10 10 0 0 1 5.2-2.7M19 12.9a10 10 0 0 0-2-1.5M2 8.8a15 15 0 0 1 4.2-2.6M22 8.8A15 15 0 0 0 10.7 5M2 2l20 20"/></svg>
<h1>${safe(title)}</h1>
<p>${safe(text)}</p>
<a href="">${safe(retry)}</a>
<p>${safe(waits)}</p>
</main>
<script nonce="${nonce}">(${comeBack})()</script>
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

// Runs in the page: loads what was asked for once the server answers, asked for while somebody looks.
function comeBack() {
  const ask = () => {
    if (document.hidden) return;
    fetch("/api/health/live", { cache: "no-store" }).then(
      ({ ok }) => ok && location.reload(),
      () => {},
    );
  };
  addEventListener("online", ask);
  addEventListener("visibilitychange", ask);
  setInterval(ask, 5000);
}
