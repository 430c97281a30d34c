/** The address of a request as its client wrote it. */
export type AskedAddress = {
  /** The origin, such as "https://shop.example". */
  origin: string;
  /**
   * Path and query, unchanged because a parser could merge two addresses that the server routes differently.
   */
  target: string;
};

/** The maximum address length that facilitators accept in requirements. */
const MAX_CHARACTERS = 2048;

/**
 * A path that does not look like a host, and a query, of visible ASCII without backslash or fragment (RFC
 * 3986, 2 and 3.3). A URL parser takes the text after two slashes for a host.
 */
const visible = /^\/(?!\/)[!-~]*$/;
const ambiguous = /[\\#]/;
/**
 * An escape of a character that needs none (letters, digits and `-._~`: RFC 3986, 2.3), of one that separates segments
 * in some routers (both slashes), or of a control character.
 */
const needlessEscape = /%(?:[01][0-9a-f]|2[def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef])/i;

/**
 * Returns whether a paywall can bind a payment to an address: it fits into an offer, and every router and URL
 * parser reads its target in the same way. The path must be in normal form: no dot segments, and no
 * unnecessary escapes.
 */
export function isBindable({ origin, target }: AskedAddress): boolean {
  const [path = ""] = target.split("?", 1);
  if (origin.length + path.length > MAX_CHARACTERS) return false;
  if (!visible.test(target) || ambiguous.test(target)) return false;
  if (path.split("/").some((segment) => segment === "." || segment === "..")) return false;
  return !needlessEscape.test(path);
}

/**
 * Splits the URL of a web request where its path begins, without resolving it, because not every server
 * normalizes it.
 */
export function splitUrl(url: string): AskedAddress {
  const [, head = "", target = ""] = /^(https?:\/\/[^/?#\\]*)(.*)$/s.exec(url) ?? [];
  return { origin: URL.canParse(head) ? new URL(head).origin : "http://localhost", target };
}

/**
 * Returns the origin that a client requested, from its `Host` header, or the origin `fallback` if that header names no
 * host.
 */
export function originAsked(host: string | null | undefined, fallback: string): string {
  const asked = `${new URL(fallback).protocol}//${host}`;
  return host && URL.canParse(asked) ? new URL(asked).origin : fallback;
}
