import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { latestPath, openingAt } from "./app/(demo)/_chat/data/opening-paths.ts";
import { KEPT_COOKIE, SENT_HEADER, SIGN_IN_HEADER } from "./app/(demo)/_ui/kept-marks.ts";
import { currentConfig, environment } from "./lib/config.ts";
import { requestIdOf } from "./lib/http/headers.ts";

// Next 16 calls this convention `proxy` and warns about the old name, which stays because Next 15 supports no other
// and Next treats both alike. Add your own paths to `matcher`.
export const config = {
  runtime: "nodejs",
  matcher: ["/((?!api/|api$|\\.well-known/(?:did\\.json|jwks\\.json|x402)$).*)"],
};

/** The cookie of a sign-in to the chat; the gateway decides whether it is still valid. */
const TOKEN_COOKIE = "chat_pat";
/** The cookie of a login session, with which the chat signs in again. */
const LOGIN_COOKIE = "session";

const CHAT_PAGE = /^\/chat(\/|$)/;

/** Sets a nonce for the scripts of every page, and the headers that keep out other sites' code and frames. */
export function middleware(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString("base64");
  const policy = contentPolicy(nonce, request.headers.get("host") ?? "");
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  const { paths, sentChannel } = openingOf(request);
  headers.set("x-opening", JSON.stringify(paths));
  headers.delete("x-sent-channel");
  if (sentChannel) headers.set("x-sent-channel", sentChannel);
  const asksToSignIn = isSignedOutOfChat(request);
  const isComponent = asksToSignIn && isFetched(request.headers);
  const response = isComponent ? openAsDocument() : NextResponse.next({ request: { headers } });
  response.headers.set("x-request-id", requestIdOf(request));
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("x-frame-options", "DENY");
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  response.headers.set("permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()");
  // The browser requests these paths before it parses the page, and the page's first script uses the answers.
  for (const path of paths)
    response.headers.append("link", `<${path}>; rel=preload; as=fetch; crossorigin=anonymous`);
  // The service worker stores no page with this header, because it contains messages.
  if (sentChannel) response.headers.set(SENT_HEADER, "1");
  // Nor this one, in whose place the chat is to open offline.
  if (asksToSignIn) response.headers.set(SIGN_IN_HEADER, "1");
  if (currentConfig().publicUrl.startsWith("https:"))
    response.headers.set("strict-transport-security", "max-age=31536000");
  return response;
}

/**
 * Returns whether a page of the chat is requested without anything that signs in. `next.config.mjs` has the same rule,
 * and shows such readers the page `/sign-in` at that address.
 */
const isSignedOutOfChat = ({ nextUrl, cookies }: NextRequest): boolean =>
  CHAT_PAGE.test(nextUrl.pathname) && !cookies.get(TOKEN_COOKIE)?.value && !cookies.get(LOGIN_COOKIE)?.value;

/**
 * Returns whether a page's script requests a page, as Next's router does, instead of the browser opening it. Next hides
 * the router's own headers from middleware. Clients that do not send both headers count as opening it: browsers over
 * plain HTTP, and programs.
 */
const isFetched = (headers: Headers): boolean =>
  headers.get("sec-fetch-mode") === "cors" && headers.get("sec-fetch-dest") === "empty";

/**
 * Creates the answer that makes Next's router open an address as a new document. The router would remember the page to
 * sign in as the page of its address, so it gets no component.
 */
const openAsDocument = (): NextResponse =>
  new NextResponse("Open this address as a page.", {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });

/**
 * Returns the first requests that a signed-in user's chat page will send to the gateway, and the channel whose
 * latest messages come with the page, because a browser that stores none would wait for them.
 */
function openingOf({ nextUrl, cookies, headers }: NextRequest): {
  paths: string[];
  sentChannel: string | null;
} {
  const isFirstLoad = CHAT_PAGE.test(nextUrl.pathname) && !isFetched(headers);
  if (!isFirstLoad || !cookies.has(TOKEN_COOKIE)) return { paths: [], sentChannel: null };
  const { paths, channelId, anchor } = openingAt(nextUrl.pathname, nextUrl.search);
  if (channelId === null || anchor !== null || cookies.has(KEPT_COOKIE)) return { paths, sentChannel: null };
  return { paths: paths.filter((path) => path !== latestPath(channelId)), sentChannel: channelId };
}

function contentPolicy(nonce: string, host: string): string {
  const { hive, hiveAuthRelay } = currentConfig();
  const others = [...hive.nodes, ...(hiveAuthRelay === null ? [] : [hiveAuthRelay])];
  const isDevelopment = environment().NODE_ENV === "development";
  return [
    "default-src 'self'",
    // In development, Next evaluates code to reload it.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    // Components set inline styles and add style elements at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    // The paying client reads the chain from the browser, and HiveAuth's wallets answer at a relay; older Safari does
    // not count a websocket as 'self'.
    `connect-src 'self' ws://${host} wss://${host} ${others.map((other) => new URL(other).origin).join(" ")}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
