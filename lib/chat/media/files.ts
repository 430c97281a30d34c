import { createPlaces } from "../../async/concurrency.ts";
import { LARGEST_UPLOAD, UPLOAD_TYPES } from "../../contract/limits.ts";
import type { OneFile } from "../../contract/media-answers.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { isRefusal, notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { type FileSize, sendFile, streamFile } from "../../mattermost/files.ts";
import type { StreamedAnswer } from "../../mattermost/mattermost.ts";
import { type RasterType, rasterTypeOf, rasterTypes, SNIFFED_BYTES } from "../../outside/raster-type.ts";
import { requireGoodPat, type Session } from "../session/session.ts";

const isRaster = (type: string) => rasterTypes.some((known) => known === type);

/** How many transfers of one person are under way at once: a few slow ones must not take everybody's connections. */
const AT_ONCE = 4;
const MOST_WAITING = 60;

function takePlace({ gateway, patHash }: Session, signal?: AbortSignal): Promise<() => void> {
  return gateway.own("file-transfers", () => createPlaces(AT_ONCE, MOST_WAITING))(patHash, signal);
}

type FileRequest = { size: FileSize; isDownload: boolean; headers: Headers };

/**
 * Bytes of a file as the caller may read it. Only pictures are shown as what they are: everything else is saved.
 * @throws CodedError `not_found`, also for a file that the caller may not see; `range_not_satisfiable`, `overloaded`
 */
export async function readFile(
  session: Session,
  fileId: string,
  { size, isDownload, headers }: FileRequest,
  signal?: AbortSignal,
): Promise<Response> {
  const free = await takePlace(session, signal);
  const answer = await notFoundIfForbidden(
    streamFile(session.caller, fileId, size, passedOn(headers)),
    "api.file.get_file_thumbnail.no_thumbnail.app_error",
    "api.file.get_file_preview.no_preview.app_error",
  ).catch((error: unknown) => {
    free();
    throw error;
  });
  void answer.ended.then(free);
  const told = headersOf(answer, isDownload);
  if (answer.status !== 304) return new Response(answer.body, { status: answer.status, headers: told });
  answer.discard();
  return new Response(null, { status: 304, headers: told });
}

function passedOn(headers: Headers): Record<string, string> {
  const range = headers.get("range") ?? "";
  const condition = headers.get("if-range");
  const since = headers.get("if-modified-since");
  return {
    // For several ranges the whole file is given, as HTTP allows.
    ...(/^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/.test(range) && {
      range,
      ...(condition !== null && { "if-range": condition }),
    }),
    ...(since !== null && { "if-modified-since": since }),
  };
}

function headersOf({ header, status }: StreamedAnswer, isDownload: boolean): Headers {
  const headers = new Headers({
    "cache-control": "private, max-age=86400",
    // A browser that somebody else uses by now asks again.
    vary: "Cookie, Authorization",
    "cross-origin-resource-policy": "same-origin",
    "accept-ranges": "bytes",
  });
  for (const name of ["content-length", "content-range", "last-modified"]) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (status === 304) return headers;
  const type = header("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isShown = isRaster(type) && !isDownload;
  const name = fileNameIn(header("content-disposition"));
  headers.set("content-type", isRaster(type) ? type : "application/octet-stream");
  headers.set(
    "content-disposition",
    `${isShown ? "inline" : "attachment"}${name === null ? "" : `; filename*=UTF-8''${escaped(name)}`}`,
  );
  return headers;
}

function fileNameIn(disposition: string | undefined): string | null {
  const told = /filename\*=UTF-8''([^;\s]{1,2048})/i.exec(disposition ?? "")?.[1];
  try {
    return told === undefined ? null : decodeURIComponent(told);
  } catch {
    // A broken escape: the browser takes the name from the address.
    return null;
  }
}

const escaped = (name: string) =>
  encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const endings: Readonly<Record<RasterType, readonly string[]>> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/avif": ["avif"],
};

/** The name with the ending of its kind, by which Mattermost knows what it is; no part of it is a folder. */
function nameOf(wanted: string, type: RasterType): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const name = wanted.replace(/[/\\\u0000-\u001f\u007f]+/g, "_").replace(/^\.+/, "");
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return endings[type].includes(ending) ? name : `${name || "picture"}.${endings[type][0]}`;
}

const noPicture = () =>
  new CodedError("unsupported_media_type", {
    message: "Only pictures are taken here: PNG, JPEG, GIF, WebP or AVIF.",
  });
export const tooLarge = (cause?: unknown) =>
  new CodedError("payload_too_large", {
    message: `A picture may have at most ${LARGEST_UPLOAD / 1024 / 1024} MiB.`,
    cause,
  });

/**
 * Passes a picture on to a channel while it comes.
 * @throws CodedError `unsupported_media_type` for what is no picture by its first bytes, `payload_too_large`, `not_found`,
 * `forbidden`, `overloaded`
 */
export async function uploadPicture(
  session: Session,
  channelId: string,
  wantedName: string,
  request: Request,
): Promise<OneFile> {
  await requireGoodPat(session);
  return takePicture(request, wantedName, async (picture) => {
    const free = await takePlace(session);
    try {
      return { file: await sendFile(session.caller, channelId, picture) };
    } catch (error) {
      return await refuse(session, channelId, error);
    } finally {
      free();
    }
  });
}

/** A picture that is being sent to here. */
export type SentPicture = {
  name: string;
  type: RasterType;
  bytes: AsyncIterable<Uint8Array>;
  length: number | null;
};

/**
 * Begins to read a picture and hands it on while it comes.
 * @throws CodedError `unsupported_media_type` for what is no picture by its first bytes, `payload_too_large`
 */
export async function takePicture<T>(
  { headers, body }: Request,
  wantedName: string,
  take: (picture: SentPicture) => Promise<T>,
): Promise<T> {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!UPLOAD_TYPES.some((known) => known === type)) throw noPicture();
  if (!/^(identity)?$/i.test(headers.get("content-encoding") ?? "")) throw noPicture();
  const told = headers.get("content-length");
  const length = told === null ? null : Number(told);
  if (length !== null && length > LARGEST_UPLOAD) throw tooLarge();
  if (body === null) throw noPicture();
  const reader = body.getReader();
  try {
    const head = await readHead(reader);
    const kind = rasterTypeOf(head);
    if (!kind) throw noPicture();
    return await take({ name: nameOf(wantedName, kind), type: kind, bytes: bytesOf(head, reader), length });
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readHead(reader: Reader): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  for (let size = 0; size < SNIFFED_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) break;
    held.push(value);
    size += value.byteLength;
  }
  return Buffer.concat(held);
}

async function* bytesOf(head: Uint8Array, reader: Reader): AsyncGenerator<Uint8Array> {
  let size = head.byteLength;
  yield head;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
    if (size > LARGEST_UPLOAD) throw tooLarge();
    yield value;
  }
}

async function refuse({ caller }: Session, channelId: string, error: unknown): Promise<never> {
  if (isRefusal(error, "api.file.upload_file.too_large_detailed.app_error"))
    throw new CodedError("payload_too_large", {
      message: "The chat server takes no files as large as this.",
      cause: error,
    });
  if (isRefusal(error, "api.file.upload_file.large_image_detailed.app_error")) {
    const issues = [{ path: "body", message: "has more pixels than the chat server takes" }];
    throw new CodedError("invalid_request", { issues, cause: error });
  }
  if (isRefusal(error, "api.file.attachments.disabled.app_error"))
    throw new CodedError("forbidden", { message: "The chat server takes no files.", cause: error });
  // Mattermost calls a channel that does not exist forbidden too; only reading it tells.
  if (hasCode(error, "forbidden")) await readChannel(caller, channelId);
  throw error;
}
