import { createPacedStreams, TooSlow } from "../../async/pace.ts";
import { createTurns } from "../../async/turns.ts";
import { LARGEST_UPLOAD, UPLOAD_TYPES } from "../../contract/limits.ts";
import { CodedError } from "../../errors.ts";
import { type RasterType, rasterTypeOf, SNIFFED_BYTES } from "../../outside/raster-type.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { MOST_PIXELS, pixelsOf, withoutMetadata } from "./clean-picture.ts";

/** Each picture, of up to 10 MiB, is held in memory until it is passed on. */
const HELD_AT_ONCE = 24;
const HELD_OF_A_PERSON = 4;
/** Cleaning a large picture takes a whole core and some hundred megabytes. */
const CLEANED_AT_ONCE = 2;
const MOST_WAITING = 200;
/** A slower sender would hold a place that others need. */
const SLOWEST = { bytesPerSecond: 4096, graceMs: 15_000 };

const endings: Readonly<Record<RasterType, readonly string[]>> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/avif": ["avif"],
};

/**
 * Returns the name without folders, and with the extension of the picture's type, by which Mattermost detects
 * it.
 */
function nameOf(wanted: string, type: RasterType): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const name = wanted.replace(/[/\\\u0000-\u001f\u007f]+/g, "_").replace(/^\.+/, "");
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return endings[type].includes(ending) ? name : `${name || "picture"}.${endings[type][0]}`;
}

const noPicture = (cause?: unknown) =>
  new CodedError("unsupported_media_type", {
    message: "Only pictures are accepted: PNG, JPEG, GIF, WebP or AVIF.",
    cause,
  });
export const tooLarge = (cause?: unknown) =>
  new CodedError("payload_too_large", {
    message: `A picture may have at most ${LARGEST_UPLOAD / 1024 / 1024} MiB.`,
    cause,
  });

const tooSlow = (cause: unknown) =>
  new CodedError("overloaded", { message: "The picture arrived too slowly; try again in a moment.", cause });

const tooManyPixels = () => {
  const issues = [{ path: "body", message: `claims more than ${MOST_PIXELS / 1_000_000} million pixels` }];
  return new CodedError("invalid_request", { issues });
};

/** A received picture, without its metadata. */
export type ReceivedPicture = { name: string; type: RasterType; bytes: Buffer };

/**
 * Receives a whole picture, removes its metadata and passes it on. A slow body holds one of the sender's few
 * places for bodies, but none for pictures being passed on. It gives way to waiting callers, and Node ends it
 * after a minute.
 * @throws CodedError `unsupported_media_type` if the bytes are not a picture, `payload_too_large`,
 * `invalid_request` for too many pixels, `overloaded`
 */
export async function receivePicture<T>(
  context: CallerContext,
  request: Request,
  wantedName: string,
  take: (picture: ReceivedPicture) => Promise<T>,
): Promise<T> {
  requireFitHead(request.headers);
  const { held, bodies, cleaned } = context.chat.own("received-pictures", () => {
    const held = createTurns({
      places: HELD_AT_ONCE,
      mostOfPerson: HELD_OF_A_PERSON,
      mostWaiting: MOST_WAITING,
    });
    return {
      held,
      bodies: createPacedStreams(SLOWEST, held.longestWaitMs),
      cleaned: createTurns({ places: CLEANED_AT_ONCE, mostWaiting: MOST_WAITING }),
    };
  });
  const asker = { person: await readOwnId(context) };
  return held.run(
    asker,
    async () => {
      const body = request.body && bodies.pass(asker.person, request.body);
      const { type, bytes } = await readPicture(body);
      const pixels = pixelsOf(bytes);
      if (pixels === null) throw noPicture();
      if (pixels > MOST_PIXELS) throw tooManyPixels();
      const cleanBytes = await cleaned.run(asker, () => clean(bytes, type), request.signal);
      if (cleanBytes.byteLength > LARGEST_UPLOAD) throw tooLarge();
      return take({ name: nameOf(wantedName, type), type, bytes: cleanBytes });
    },
    request.signal,
  );
}

/** @throws CodedError `unsupported_media_type` for bytes that only begin like a picture */
async function clean(bytes: Buffer, type: RasterType): Promise<Buffer> {
  try {
    return await withoutMetadata(bytes, type);
  } catch (cause) {
    throw noPicture(cause);
  }
}

function requireFitHead(headers: Headers): void {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!UPLOAD_TYPES.some((known) => known === type)) throw noPicture();
  if (!/^(identity)?$/i.test(headers.get("content-encoding") ?? "")) throw noPicture();
  if (Number(headers.get("content-length") ?? 0) > LARGEST_UPLOAD) throw tooLarge();
}

/** Reads a body to its end, or until it cannot be a picture. */
async function readPicture(
  body: ReadableStream<Uint8Array> | null,
): Promise<{ type: RasterType; bytes: Buffer }> {
  const reader = body?.getReader();
  if (!reader) throw noPicture();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let type: RasterType | null = null;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
      if (size > LARGEST_UPLOAD) throw tooLarge();
      if (type === null && size >= SNIFFED_BYTES) {
        type = rasterTypeOf(Buffer.concat(chunks));
        if (type === null) throw noPicture();
      }
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof TooSlow ? tooSlow(error) : error;
  }
  if (type === null) throw noPicture();
  return { type, bytes: Buffer.concat(chunks) };
}
