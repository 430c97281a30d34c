import { BytesAnswer } from "../../async/bytes-answer.ts";
import { createPacedStreams } from "../../async/pace.ts";
import { createTurns } from "../../async/turns.ts";
import type { OneFile } from "../../contract/media-answers.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { isRefusal, notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { type FileSize, sendFile, streamFile } from "../../mattermost/files.ts";
import { type StreamedAnswer, TRANSFER_CONNECTIONS } from "../../mattermost/mattermost.ts";
import { rasterTypes } from "../../outside/raster-type.ts";
import { type CallerContext, readOwnId, requireGoodPat } from "../caller/caller-context.ts";
import type { Chat } from "../caller/chat.ts";
import { receivePicture } from "./receive-picture.ts";

const isRaster = (type: string) => rasterTypes.some((known) => known === type);

/**
 * Equals the number of connections for transfers, so that callers wait for their turn rather than for a
 * connection.
 */
const AT_ONCE = TRANSFER_CONNECTIONS;
const AT_ONCE_OF_A_PERSON = 4;
const MOST_WAITING = 200;
/** Slower readers are cut off, because they would hold a connection that others need. */
const SLOWEST = { bytesPerSecond: 8192, graceMs: 15_000 };

function transfersOf({ own }: Chat) {
  return own("file-transfers", () => {
    const turns = createTurns({
      places: AT_ONCE,
      mostOfPerson: AT_ONCE_OF_A_PERSON,
      mostWaiting: MOST_WAITING,
    });
    return { turns, downloads: createPacedStreams(SLOWEST, turns.longestWaitMs) };
  });
}

type FileRequest = { size: FileSize; isDownload: boolean; headers: Pick<Headers, "get"> };

/**
 * Returns the bytes of a file, if the caller can read it. Only pictures are displayed with their own type;
 * everything else is offered as a download.
 * @throws CodedError `not_found`, even for a file that the caller is not allowed to see;
 * `range_not_satisfiable`, `overloaded`
 */
export async function readFile(
  context: CallerContext,
  fileId: string,
  { size, isDownload, headers: asked }: FileRequest,
  signal?: AbortSignal,
): Promise<BytesAnswer> {
  const { turns, downloads } = transfersOf(context.chat);
  const person = await readOwnId(context);
  const free = await turns.take({ person }, signal);
  const answer = await notFoundIfForbidden(
    streamFile(context.caller, fileId, size, passedOn(asked)),
    "api.file.get_file_thumbnail.no_thumbnail.app_error",
    "api.file.get_file_preview.no_preview.app_error",
  ).catch((error: unknown) => {
    free();
    throw error;
  });
  void answer.ended.then(free);
  const { status, body } = answer;
  const headers = headersOf(answer, isDownload);
  return new BytesAnswer(status === 304 ? null : downloads.passPushed(person, body), { status, headers });
}

function passedOn(headers: Pick<Headers, "get">): Record<string, string> {
  const range = headers.get("range") ?? "";
  const condition = headers.get("if-range");
  const since = headers.get("if-modified-since");
  return {
    // A request for several ranges gets the whole file, as HTTP allows.
    ...(/^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/.test(range) && {
      range,
      ...(condition !== null && { "if-range": condition }),
    }),
    ...(since !== null && { "if-modified-since": since }),
  };
}

function headersOf({ header, status }: StreamedAnswer, isDownload: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    "cache-control": "private, max-age=86400",
    // Another user of the same browser must fetch it again.
    vary: "Cookie, Authorization",
    "cross-origin-resource-policy": "same-origin",
    "accept-ranges": "bytes",
  };
  for (const name of ["content-length", "content-range", "last-modified"]) {
    const value = header(name);
    if (value !== undefined) headers[name] = value;
  }
  if (status === 304) return headers;
  const type = header("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isShown = isRaster(type) && !isDownload;
  const name = fileNameIn(header("content-disposition"));
  headers["content-type"] = isRaster(type) ? type : "application/octet-stream";
  headers["content-disposition"] =
    `${isShown ? "inline" : "attachment"}${name === null ? "" : `; filename*=UTF-8''${escaped(name)}`}`;
  return headers;
}

function fileNameIn(disposition: string | undefined): string | null {
  const told = /filename\*=UTF-8''([^;\s]{1,2048})/i.exec(disposition ?? "")?.[1];
  try {
    return told === undefined ? null : decodeURIComponent(told);
  } catch {
    // The escape is malformed, so the browser derives the name from the address.
    return null;
  }
}

const escaped = (name: string) =>
  encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Uploads a picture to a channel, after checking that it is complete and removing its metadata.
 * @throws CodedError `unsupported_media_type` if the bytes are not a picture, `payload_too_large`, `invalid_request` for
 * too many pixels, `not_found`, `forbidden`, `overloaded`
 */
export async function uploadPicture(
  context: CallerContext,
  channelId: string,
  wantedName: string,
  request: Request,
): Promise<OneFile> {
  await requireGoodPat(context);
  return receivePicture(context, request, wantedName, async (picture) => {
    const { turns } = transfersOf(context.chat);
    const send = async () => ({ file: await sendFile(context.caller, channelId, picture) });
    return turns
      .run({ person: await readOwnId(context) }, send, request.signal)
      .catch((error: unknown) => refuse(context, channelId, error));
  });
}

async function refuse({ caller }: CallerContext, channelId: string, error: unknown): Promise<never> {
  if (isRefusal(error, "api.file.upload_file.too_large_detailed.app_error"))
    throw new CodedError("payload_too_large", {
      message: "This file is too large for the chat server.",
      cause: error,
    });
  if (isRefusal(error, "api.file.upload_file.large_image_detailed.app_error")) {
    const issues = [{ path: "body", message: "has more pixels than the chat server takes" }];
    throw new CodedError("invalid_request", { issues, cause: error });
  }
  if (isRefusal(error, "api.file.attachments.disabled.app_error"))
    throw new CodedError("forbidden", { message: "The chat server accepts no files.", cause: error });
  // Mattermost also answers "forbidden" for a channel that does not exist; only reading the channel tells the
  // two apart.
  if (hasCode(error, "forbidden")) await readChannel(caller, channelId);
  throw error;
}
