import { type Context, callerId, param } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { isId, makeId } from "../id.ts";
import { findChannel } from "../model/channels.ts";
import { type FileRow, findFile, insertFile, readFileBytes } from "../model/files.ts";
import { canSeeChannel, requireChannelWith } from "../permissions.ts";
import { bytes, created } from "../require.ts";
import { type Route, route } from "../router.ts";
import { fileObject } from "../serializers/post.ts";

/** The limit of a server with default settings. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
  bmp: "image/bmp",
  pdf: "application/pdf",
  txt: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
  json: "application/json",
  zip: "application/zip",
  mp4: "video/mp4",
};

type Size = { width: number; height: number };

/** Returns the size of a picture, or null if this server cannot decode it. */
function sizeOf(data: Uint8Array): Size | null {
  const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (view.length > 24 && view.toString("latin1", 1, 4) === "PNG")
    return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  if (view.length > 10 && view.toString("latin1", 0, 4) === "GIF8")
    return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 < view.length && view[at] === 0xff; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
  }
  return null;
}

/** Stores the body as one file, named by the query. Multipart forms are not supported. */
function postFile(context: Context): unknown {
  const { mattermost, query, rawBody } = context;
  if (rawBody.byteLength === 0) refuse("api.file.upload_file.read_request.app_error");
  const channelId = query.get("channel_id") ?? "";
  if (!isId(channelId)) refuse("api.context.invalid_url_param.app_error", "channel_id");
  const name = (query.get("filename") ?? "").split(/[\\/]/).at(-1) ?? "";
  if (name === "") refuse("api.context.invalid_url_param.app_error", "filename");
  const channel = requireChannelWith(context, channelId, "upload_file");
  if (rawBody.byteLength > MAX_FILE_BYTES) refuse("api.file.upload_file.too_large_detailed.app_error");
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "").toLowerCase() : "";
  const mimeType = types[extension] ?? "";
  const size = mimeType.startsWith("image/") ? sizeOf(rawBody) : null;
  const now = mattermost.clock.now();
  const row: FileRow = {
    id: makeId(),
    user_id: callerId(context),
    post_id: "",
    channel_id: channel.id,
    create_at: now,
    update_at: now,
    delete_at: 0,
    name,
    extension,
    size: rawBody.byteLength,
    mime_type: mimeType,
    width: size?.width ?? 0,
    height: size?.height ?? 0,
    // Animated pictures get no preview.
    has_preview: Number(size !== null && mimeType !== "image/gif"),
    position: 0,
  };
  insertFile(mattermost.db, row, rawBody);
  const clientId = query.get("client_id");
  return created({ file_infos: [fileObject(row)], client_ids: clientId ? [clientId] : [] });
}

/** Returns the file if the caller uploaded it or may read its channel. @throws ApiError 404 or 403 */
function requireFile(context: Context): FileRow {
  const { db } = context.mattermost;
  const id = param(context, "file_id");
  const file = findFile(db, id);
  if (!file) return refuse("api.file.get_file_info.app_error");
  if (file.delete_at > 0) refuse("app.file_info.get.app_error");
  const channel = findChannel(db, file.channel_id) ?? refuse("app.channel.get.existing.app_error");
  demand(file.user_id === callerId(context) || canSeeChannel(db, callerId(context), channel));
  return file;
}

const media = /^(image\/(jpeg|png|bmp|gif|tiff|webp)|video\/(avi|mpeg|mp4)|audio\/(mpeg|wav))/;
const unsafe = /^(application\/(x-)?(java|ecma)script|text\/((java|ecma)script|html))/;

/** Returns the file's bytes in the form of the real server's library, or the requested range of them. */
function serveContent(context: Context, file: FileRow, isDownload: boolean): unknown {
  const content = readFileBytes(context.mattermost.db, file.id);
  const type = unsafe.test(file.mime_type) ? "text/plain" : file.mime_type || "application/octet-stream";
  const name = encodeURIComponent(file.name);
  const isShown = media.test(type) && !isDownload;
  const headers = {
    "Cache-Control": "private, max-age=86400",
    "X-Content-Type-Options": "nosniff",
    "Content-Type": type,
    "Content-Disposition": `${isShown ? "inline" : "attachment"};filename="${name}"; filename*=UTF-8''${name}`,
    "Last-Modified": new Date(file.update_at).toUTCString(),
    "Accept-Ranges": "bytes",
  };
  const since = Date.parse(context.headers["if-modified-since"] ?? "");
  if (since >= Math.floor(file.update_at / 1000) * 1000) return bytes(new Uint8Array(), headers, 304);
  const range = /^bytes=(\d*)-(\d*)$/.exec(context.headers.range ?? "");
  if (!range || (range[1] === "" && range[2] === "")) return bytes(content, headers);
  const length = content.byteLength;
  const start = range[1] === "" ? Math.max(0, length - Number(range[2])) : Number(range[1]);
  const end = range[1] === "" || range[2] === "" ? length - 1 : Math.min(Number(range[2]), length - 1);
  if (start > end || start >= length)
    return bytes(
      Buffer.from("invalid range: failed to overlap\n"),
      { "Content-Type": "text/plain; charset=utf-8", "Content-Range": `bytes */${length}` },
      416,
    );
  const told = { ...headers, "Content-Range": `bytes ${start}-${end}/${length}` };
  return bytes(content.subarray(start, end + 1), told, 206);
}

const isDownload = (context: Context) => /^(1|t|true)$/i.test(context.query.get("download") ?? "");

function getFile(context: Context): unknown {
  return serveContent(context, requireFile(context), isDownload(context));
}

function getFileInfo(context: Context): unknown {
  return fileObject(requireFile(context));
}

/** Returns the full-size picture, because the sandbox creates no thumbnails. */
function getThumbnail(context: Context): unknown {
  const file = requireFile(context);
  if (file.width === 0) refuse("api.file.get_file_thumbnail.no_thumbnail.app_error");
  return serveContent(context, file, isDownload(context));
}

function getPreview(context: Context): unknown {
  const file = requireFile(context);
  if (file.width === 0) refuse("api.file.get_file_preview.no_preview.app_error");
  return serveContent(context, file, isDownload(context));
}

export const fileRoutes: Route[] = [
  route("POST", "/files", postFile),
  route("GET", "/files/{file_id}", getFile),
  route("GET", "/files/{file_id}/info", getFileInfo),
  route("GET", "/files/{file_id}/thumbnail", getThumbnail),
  route("GET", "/files/{file_id}/preview", getPreview),
];
