import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher, request } from "undici";
import { shareClass } from "../async/share-class.ts";
import { underSignals } from "../async/time-limits.ts";
import { isExempt, isPublicAddress, readOutsideAddress } from "./addresses.ts";

/** Reasons for a missing result. */
export type OutsideReason =
  | "address"
  | "private"
  | "unreachable"
  | "late"
  | "redirects"
  | "status"
  | "encoded"
  | "too_large";

/** Another server returned nothing usable. Only the cause contains its text. */
export class OutsideFault extends Error {
  static {
    shareClass(OutsideFault, "OutsideFault");
  }

  override readonly name = "OutsideFault";
  readonly reason: OutsideReason;

  constructor(reason: OutsideReason, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

export type OutsideAnswer = {
  /** The final address, after all redirects. */
  url: URL;
  status: number;
  header(name: string): string | undefined;
  bytes: Buffer;
};

export type OutsideRequest = {
  accept: string;
  limitBytes: number;
  /** Accepts the beginning of a larger body, which is otherwise an error. */
  takesBeginning?: boolean;
  headers?: Readonly<Record<string, string>>;
  /** False to accept no answer of another address. */
  followsRedirects?: boolean;
  /** The statuses of a usable answer (default 200 and 304). */
  expects?: readonly number[];
  signal?: AbortSignal;
};

export type Outside = {
  /** Fetches an address of the public internet. @throws OutsideFault, and the reason of `signal` */
  fetch(address: string, asked: OutsideRequest): Promise<OutsideAnswer>;
  close(): Promise<void>;
};

type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const MAX_REDIRECTS = 4;
const CONNECTIONS_A_HOST = 4;
const CONNECT_TIMEOUT_MS = 4000;
const IDLE_MS = 4000;
const MAX_HEAD_BYTES = 16_384;
const redirects = new Set([301, 302, 303, 307, 308]);
const usable: readonly number[] = [200, 304];

/**
 * Creates a fetch for outside servers. Each address, including those of redirects, is checked before the
 * request, after its name is resolved, and again on connection. The whole fetch ends within `timeoutMs`.
 * Hosts in `privateHosts` are exempt.
 */
export function createOutside({
  privateHosts,
  timeoutMs = 10_000,
  resolve = systemLookup as unknown as Resolve,
}: {
  privateHosts: readonly string[];
  timeoutMs?: number;
  resolve?: Resolve;
}): Outside {
  const agentOf = (connect: buildConnector.connector) =>
    new Agent({
      connect,
      connections: CONNECTIONS_A_HOST,
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  const open = agentOf(publicConnector(resolve));
  const exempt = agentOf(buildConnector({ timeout: CONNECT_TIMEOUT_MS }));

  const ask = async (url: URL, asked: OutsideRequest, signal: AbortSignal) => {
    const dispatcher = isExempt(url, privateHosts) ? exempt : open;
    const headers = {
      "user-agent": "hivegate (link preview)",
      accept: asked.accept,
      "accept-encoding": "identity",
      ...asked.headers,
    };
    return request(url, { dispatcher, headers, signal });
  };

  const follow = async (address: string, asked: OutsideRequest, signal: AbortSignal) => {
    let url = readOutsideAddress(address, privateHosts);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!url) throw new OutsideFault("address");
      const answer = await ask(url, asked, signal);
      const { location } = answer.headers;
      const isToBeFollowed = asked.followsRedirects !== false && redirects.has(answer.statusCode);
      if (!isToBeFollowed || typeof location !== "string") return { url, answer };
      answer.body.on("error", () => undefined).destroy();
      url = URL.canParse(location, url.href)
        ? readOutsideAddress(new URL(location, url.href).href, privateHosts)
        : null;
    }
    throw new OutsideFault("redirects");
  };

  return {
    async fetch(address, asked) {
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        return await underSignals([limit, asked.signal], async (signal) => {
          const { url, answer } = await follow(address, asked, signal);
          const header = (name: string) => [answer.headers[name] ?? []].flat()[0];
          const { statusCode: status, body } = answer;
          if (!(asked.expects ?? usable).includes(status)) {
            body.on("error", () => undefined).destroy();
            throw new OutsideFault("status", status);
          }
          const bytes = await readBytes(answer, asked);
          return { url, status, header, bytes };
        });
      } catch (error) {
        asked.signal?.throwIfAborted();
        throw faultOf(error, limit.aborted);
      }
    },
    async close() {
      await Promise.all([open.destroy(), exempt.destroy()]);
    },
  };
}

async function readBytes(
  { headers, body }: Dispatcher.ResponseData,
  { limitBytes, takesBeginning = false }: OutsideRequest,
): Promise<Buffer> {
  const refuse = (reason: OutsideReason) => {
    body.on("error", () => undefined).destroy();
    return new OutsideFault(reason);
  };
  // A compressed body could have any size once it is decompressed.
  if (!/^(identity)?$/i.test(String(headers["content-encoding"] ?? ""))) throw refuse("encoded");
  if (!takesBeginning && Number(headers["content-length"] ?? 0) > limitBytes) throw refuse("too_large");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > limitBytes && takesBeginning) break;
    if (size > limitBytes) throw new OutsideFault("too_large");
  }
  return Buffer.concat(chunks).subarray(0, limitBytes);
}

function faultOf(error: unknown, isLate: boolean): OutsideFault {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutsideFault) return cause;
  return new OutsideFault(isLate ? "late" : "unreachable", error);
}

/**
 * Connects to public addresses only. A name can resolve differently a moment later, so it is resolved only
 * once.
 */
function publicConnector(resolve: Resolve): buildConnector.connector {
  const lookup: LookupFunction = (name, options, callback) =>
    resolve(name, { ...options, all: true }, (error, found) => {
      const fit = error ? [] : found.filter(({ address }) => isPublicAddress(address));
      const [first] = fit;
      if (!first) callback(error ?? new OutsideFault("private"), "", 0);
      else if (options.all) callback(null, fit);
      else callback(null, first.address, first.family);
    });
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? "")) return callback(null, socket);
      socket.destroy();
      callback(new OutsideFault("private"), null);
    });
}
