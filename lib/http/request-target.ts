import type { IncomingMessage } from "node:http";

const absoluteForm = /^https?:\/\/([^/?#]*)/i;
const hostShape = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The path of a request target as it stands: `new URL` throws on `//` and would take the process down. */
export function pathOf(target: string | undefined): string {
  return (target ?? "/").split("?", 1)[0] ?? "/";
}

/** The path with `.` and `..` gone (RFC 3986, 5.2.4), as Next and proxies read it: the same where there are none. */
export function settledPath(path: string): string {
  return new URL(`http://localhost${path}`).pathname;
}

/**
 * Brings a target in absolute form, which proxies send, into the ordinary one: its host goes before the `Host` header
 * (RFC 9112, 3.2.2). Tells whether the target is a path and the host one host.
 */
export function settleTarget(incoming: IncomingMessage): boolean {
  const { headers, rawHeaders, httpVersion, url = "" } = incoming;
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return false;
  const [origin, authority] = absoluteForm.exec(url) ?? [];
  if (origin !== undefined) {
    const rest = url.slice(origin.length);
    incoming.url = rest.startsWith("/") ? rest : `/${rest}`;
    headers.host = authority;
  }
  return (
    incoming.url?.startsWith("/") === true && (headers.host === undefined || hostShape.test(headers.host))
  );
}
