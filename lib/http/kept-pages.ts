import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import inject from "light-my-request";
import { createSingleFlight } from "../async/concurrency.ts";
import { createTurns } from "../async/turns.ts";
import { acceptsCoding } from "./accepts-coding.ts";
import { requestIdOf } from "./headers.ts";
import { headersOf } from "./node-request.ts";
import { makePageFor } from "./page-language.ts";
import { pathOf } from "./route-table.ts";

const compress = promisify(gzip);

/** The time after which a page that is still rendering no longer blocks the others. */
const LONGEST_MS = 10_000;

/** The placeholder for the reader's host in a rendered policy. RFC 2606 reserves it, so no one owns it. */
const ANY_HOST = "host.invalid";

type KeptPage = {
  status: number;
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  policy: string;
  plain: Buffer;
  compressed: Buffer;
};

export type KeptPages = {
  /** Returns whether a request is for a stored page. */
  takes(incoming: IncomingMessage): boolean;
  /**
   * Answers with the stored page and returns true, or returns false for a page that depends on its reader, which
   * has to be rendered per request.
   * @throws the errors of `render`
   */
  serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>;
};

/**
 * Renders each of `paths` once per language and serves the stored bytes from then on. Pages render one at a
 * time, each followed by a pause as long as its rendering took, so that a new process that is asked for all
 * of them can do other work in between. The pages contain nothing from a reader or a request, so an attacker
 * can't get markup into them, and the nonce of their scripts may be the same for everyone.
 *
 * Requests of Next's router get the page too, which the router then opens as a new document.
 */
export function createKeptPages(options: {
  render: RequestListener;
  paths: ReadonlySet<string>;
  /** Returns the language for a request's pages: one of a fixed list. */
  languageOf: (incoming: IncomingMessage) => string;
}): KeptPages {
  const { render, paths, languageOf } = options;
  const kept = new Map<string, KeptPage>();
  /** Paths of pages that depend on their reader. */
  const ofReaders = new Set<string>();
  const share = createSingleFlight<KeptPage>();
  const turns = createTurns({ places: 1, mostWaiting: Number.POSITIVE_INFINITY });

  const make = async (path: string, language: string): Promise<KeptPage> => {
    const headers = { host: ANY_HOST, cookie: `hivegate-language=${language}` };
    const answer = await inject(
      (incoming, outgoing) => {
        const request = incoming as unknown as IncomingMessage;
        makePageFor(request, () => render(request, outgoing as unknown as ServerResponse));
      },
      { method: "GET", url: path, headers },
    );
    const { "content-security-policy": policy, ...others } = answer.headers;
    const unsent = [
      "x-request-id",
      "date",
      "connection",
      "keep-alive",
      "transfer-encoding",
      "content-length",
    ];
    return {
      status: answer.statusCode,
      headers: Object.entries(others).flatMap(([name, value]) =>
        unsent.includes(name) ? [] : [value ?? []].flat().map((one) => [name, String(one)] as const),
      ),
      policy: String(policy ?? ""),
      plain: answer.rawPayload,
      compressed: await compress(answer.rawPayload, { level: 9 }),
    };
  };

  const makeInTurn = async (path: string, language: string): Promise<KeptPage> => {
    const giveBack = await turns.take({ person: `${language} ${path}` });
    const cut = setTimeout(giveBack, LONGEST_MS).unref();
    const startedAtMs = performance.now();
    try {
      return await make(path, language);
    } finally {
      clearTimeout(cut);
      setTimeout(giveBack, Math.min(performance.now() - startedAtMs, LONGEST_MS)).unref();
    }
  };

  const find = async (path: string, language: string): Promise<KeptPage> => {
    const key = `${language} ${path}`;
    const present = kept.get(key);
    if (present) return present;
    return share(key, async () => {
      const page = await makeInTurn(path, language);
      if (dependsOnReader(page)) ofReaders.add(path);
      // A failure is not stored.
      else if (page.status === 200) kept.set(key, page);
      return page;
    });
  };

  return {
    takes: ({ url }) => paths.has(pathOf(url)),
    async serve(incoming, outgoing) {
      const path = pathOf(incoming.url);
      if (ofReaders.has(path)) return false;
      const page = await find(path, languageOf(incoming));
      if (dependsOnReader(page)) return false;
      if (outgoing.destroyed) return true;
      const takesGzip = acceptsCoding(incoming, "gzip");
      const body = takesGzip ? page.compressed : page.plain;
      for (const [name, value] of page.headers) outgoing.appendHeader(name, value);
      const host = incoming.headers.host ?? "localhost";
      outgoing.setHeader("content-security-policy", page.policy.replaceAll(ANY_HOST, host));
      outgoing.setHeader("x-request-id", requestIdOf({ headers: headersOf(incoming) }));
      outgoing.setHeader("content-length", body.byteLength);
      outgoing.setHeader("vary", "Accept-Encoding, Accept-Language, Cookie");
      if (takesGzip) outgoing.setHeader("content-encoding", "gzip");
      outgoing.statusCode = page.status;
      outgoing.end(incoming.method === "HEAD" ? undefined : body);
      return true;
    },
  };
}

/** Returns whether a page depends on its reader: it sets a cookie, or refuses or redirects anonymous readers. */
const dependsOnReader = ({ status, headers }: KeptPage) =>
  (status >= 300 && status < 500) || headers.some(([name]) => name === "set-cookie");
