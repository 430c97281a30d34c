import { randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { processWide } from "../async/process-wide.ts";

/**
 * Name of the header that carries the client's address. Each process has a random one, so that no client can set it.
 */
export const CLIENT_ADDRESS_HEADER = processWide("client-address-header", () => `x-client-${randomUUID()}`);

/** Returns the caller's address, by which clients are counted, or `unknown` if the server did not record it. */
export function readClientAddress(request: RequestHead): string {
  return request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}

/**
 * Returns the subject by which a client is counted: the whole IPv4 address, or the first 64 bits of an IPv6
 * address, because a client usually has all addresses of such a network.
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, which has no colon.
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const groups = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  // A dotted ending counts as two groups.
  const size = groups.length + last.length + (address.includes(".") ? 1 : 0);
  const zeros = Array<string>(Math.max(0, 8 - size)).fill("0");
  const network = [...groups, ...zeros, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** Returns the address at which a listener is reached from its own machine. */
export function localUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/**
 * The part of a request that is checked before its body is read, and all that most routes need. A `Request`
 * has all of it.
 */
export type RequestHead = {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
};

export type RequestHeaders = Pick<Headers, "get">;
