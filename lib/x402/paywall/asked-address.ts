/** The address of a request as its client wrote it. */
export type AskedAddress = {
  /** Such as "https://shop.example". */
  origin: string;
  /** Path and query, unchanged: a parser could make two addresses into one that the server routes apart. */
  target: string;
};

/** Facilitators read no longer address in the requirements. */
const MAX_CHARACTERS = 2048;

/**
 * RFC 3986, 2 and 3.3: a path that is no host's name, and a query hold nothing but visible ASCII, and neither a backslash
 * nor a fragment. A parser of URLs takes what follows two slashes for a host.
 */
const visible = /^\/(?!\/)[!-~]*$/;
const ambiguous = /[\\#]/;
/**
 * An escape of what is written unescaped (letters, digits and `-._~`: RFC 3986, 2.3), of what divides a path for some
 * routers (both slashes), or of a control character.
 */
const needlessEscape = /%(?:[01][0-9a-f]|2[def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef])/i;

/**
 * Returns whether a paywall can bind a payment to an address: one that fits into an offer, and whose target every router
 * and every URL parser reads alike. The path must be in its normal form: no dot segments, and escaped is only what has to be.
 */
export function isBindable({ origin, target }: AskedAddress): boolean {
  const [path = ""] = target.split("?", 1);
  if (origin.length + path.length > MAX_CHARACTERS) return false;
  if (!visible.test(target) || ambiguous.test(target)) return false;
  if (path.split("/").some((segment) => segment === "." || segment === "..")) return false;
  return !needlessEscape.test(path);
}

/** Splits the URL of a web request where its path begins, and resolves nothing: not every server has normalized it. */
export function splitUrl(url: string): AskedAddress {
  const [, head = "", target = ""] = /^(https?:\/\/[^/?#\\]*)(.*)$/s.exec(url) ?? [];
  return { origin: URL.canParse(head) ? new URL(head).origin : "http://localhost", target };
}

/** Returns the origin that a client asked, by its `Host` header; `fallback` (an origin) where that header names no host. */
export function originAsked(host: string | null | undefined, fallback: string): string {
  const asked = `${new URL(fallback).protocol}//${host}`;
  return host && URL.canParse(asked) ? new URL(asked).origin : fallback;
}
