import { createHash } from "node:crypto";
import { BytesAnswer } from "../../async/bytes-answer.ts";
import { createSizedCache, createTtlLruCache } from "../../async/cache.ts";
import { createSharedTurns, createTurns, type Turns } from "../../async/turns.ts";
import { CodedError } from "../../errors.ts";
import { log } from "../../log.ts";
import { readOutsideAddress } from "../../outside/addresses.ts";
import {
  createOutside,
  type Outside,
  type OutsideAnswer,
  OutsideFault,
} from "../../outside/fetch-outside.ts";
import { type RasterType, rasterTypeOf, rasterTypes } from "../../outside/raster-type.ts";
import { type CallerContext, readOwnId, requireGoodPat } from "../caller/caller-context.ts";
import type { Chat } from "../caller/chat.ts";
import { MOST_PIXELS, pixelsOf } from "./clean-picture.ts";

const LIMIT_BYTES = 8 * 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 8;
/** Leaves places for other hosts, even if one is slow or a user shows many pictures of slow ones. */
const AT_ONCE_OF_A_HOST = 2;
const AT_ONCE_FOR_A_READER = 4;
const MOST_WAITING = 200;
const REFUSED_FOR_MS = 60_000;
const SHORTEST_SECONDS = 60;
const LONGEST_SECONDS = 86_400;
const USUAL_SECONDS = 3600;
/** Size of an entry without its bytes. */
const ENTRY_BYTES = 512;

type Picture = {
  type: RasterType;
  bytes: Buffer;
  etag: string;
  /** Request headers that let the picture's server answer that the picture has not changed. */
  conditions: Readonly<Record<string, string>>;
  seconds: number;
  freshUntilMs: number;
};

const notShown = (cause?: unknown) =>
  new CodedError("not_found", { message: "This address has no picture that can be shown.", cause });

/** Returns the client for other servers, or null if the operator disabled it. */
export function outsideOf({ config, own }: Chat): Outside | null {
  const { isFetched, privateHosts } = config.outside;
  return isFetched ? own("outside", () => createOutside({ privateHosts })) : null;
}

/**
 * Fetches a picture from another server, so that the other server does not see who reads it and the browser
 * receives nothing but a picture. Failures give no reason, because a reason could reveal the gateway's own
 * network.
 * @throws CodedError `unauthorized`, `not_found`, `overloaded`
 */
export async function readOutsidePicture(
  context: CallerContext,
  address: string,
  ifNoneMatch: string | null,
  signal: AbortSignal,
): Promise<BytesAnswer> {
  await requireGoodPat(context);
  return showOutsidePicture(context.chat, address, ifNoneMatch, await readOwnId(context), signal);
}

/** Like `readOutsidePicture`, for callers that are authorized by something other than a token. */
export async function showOutsidePicture(
  chat: Chat,
  address: string,
  ifNoneMatch: string | null,
  reader: string,
  signal: AbortSignal,
): Promise<BytesAnswer> {
  const outside = outsideOf(chat);
  const url = readOutsideAddress(address, chat.config.outside.privateHosts);
  if (!outside || !url) throw notShown();
  const find = chat.own("outside-pictures", () => createPictures(outside));
  const { type, bytes, etag, seconds } = await find(url.href, reader, signal);
  const headers = {
    etag,
    "cache-control": `private, max-age=${seconds}`,
    "cross-origin-resource-policy": "same-origin",
  };
  if (ifNoneMatch?.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, "") === etag))
    return new BytesAnswer(null, { status: 304, headers });
  return new BytesAnswer(bytes, {
    headers: { ...headers, "content-type": type, "content-length": String(bytes.byteLength) },
  });
}

/** Creates turns for requests to other servers: few in total, fewer per reader, and fewer per host. */
export function createOutsideTurns(): Turns {
  return createTurns({
    places: AT_ONCE,
    mostOfPerson: AT_ONCE_FOR_A_READER,
    mostOfGroup: AT_ONCE_OF_A_HOST,
    mostWaiting: MOST_WAITING,
  });
}

/**
 * Fetches and caches pictures. No address is fetched twice at the same time, with limits per host and per
 * reader. `now` is a monotonic clock in ms. A caller that disconnects (`signal`) leaves the line.
 */
export function createPictures(
  outside: Outside,
  now: () => number = () => performance.now(),
): (address: string, reader: string, signal?: AbortSignal) => Promise<Picture> {
  const pictures = createSizedCache<Picture>(CACHE_BYTES, ({ bytes }) => bytes.byteLength + ENTRY_BYTES);
  const refused = createTtlLruCache<true>({ maxEntries: 5000, ttlMs: REFUSED_FOR_MS, now });
  const share = createSharedTurns<Picture>(createOutsideTurns());

  const fetch = async (address: string, known: Picture | undefined): Promise<Picture> => {
    const answer = await outside.fetch(address, {
      accept: rasterTypes.join(", "),
      limitBytes: LIMIT_BYTES,
      ...(known && { headers: known.conditions }),
    });
    const seconds = secondsOf(answer);
    const freshUntilMs = now() + seconds * 1000;
    if (answer.status === 304 && known) return { ...known, seconds, freshUntilMs };
    const type = rasterTypeOf(answer.bytes);
    if (answer.status === 304 || !type) throw new OutsideFault("status", "no picture");
    const pixels = pixelsOf(answer.bytes);
    if (pixels === null || pixels > MOST_PIXELS) throw new OutsideFault("too_large");
    const etag = `"${createHash("sha256").update(answer.bytes).digest("base64url").slice(0, 27)}"`;
    return { type, bytes: answer.bytes, etag, conditions: conditionsOf(answer), seconds, freshUntilMs };
  };

  return async (address, reader, signal) => {
    const known = pictures.get(address);
    if (known && known.freshUntilMs > now()) return known;
    if (refused.get(address)) throw notShown();
    const look = async () => {
      try {
        const picture = await fetch(address, known);
        pictures.set(address, picture);
        return picture;
      } catch (error) {
        if (!(error instanceof OutsideFault)) throw error;
        log().debug({ host: new URL(address).host, reason: error.reason }, "a picture is not shown");
        refused.set(address, true);
        throw notShown(error);
      }
    };
    return share(address, { person: reader, group: new URL(address).host }, look, signal);
  };
}

function conditionsOf({ header }: OutsideAnswer): Record<string, string> {
  const [etag, modified] = [header("etag"), header("last-modified")];
  return { ...(etag && { "if-none-match": etag }), ...(modified && { "if-modified-since": modified }) };
}

/**
 * Returns how long a picture is fresh: as long as its server says, within bounds, because people view the
 * same list again and again.
 */
function secondsOf({ header }: OutsideAnswer): number {
  const control = header("cache-control") ?? "";
  if (/no-store|no-cache|private/i.test(control)) return SHORTEST_SECONDS;
  const told = Number(/(?:^|[\s,])max-age=(\d{1,9})/i.exec(control)?.[1] ?? USUAL_SECONDS);
  return Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, told));
}
