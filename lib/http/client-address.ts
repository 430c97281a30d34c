import { randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { processWide } from "../async/process-wide.ts";

/** Name of the header that carries the client's address: another in each process, so that no client can set it. */
export const CLIENT_ADDRESS_HEADER = processWide("client-address-header", () => `x-client-${randomUUID()}`);

/** The caller's address, as clients are counted by, or `unknown` where nothing in front noted it. */
export function readClientAddress(request: RequestHead): string {
  return request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}

/**
 * What a client is counted by: an IPv4 address itself, of an IPv6 address its first 64 bits, since whoever has one
 * address of such a network has all of them.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const groups = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  // A dotted end stands for two groups.
  const size = groups.length + last.length + (address.includes(".") ? 1 : 0);
  const zeros = Array<string>(Math.max(0, 8 - size)).fill("0");
  const network = [...groups, ...zeros, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** The address by which a listener is reached from its own machine. */
export function localUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** What a request is judged by before its body is read, and most routes see no more of it; a `Request` is one. */
export type RequestHead = {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
};

export type RequestHeaders = Pick<Headers, "get">;
