import { deflateSync } from "node:zlib";
import { type Context, param } from "../context.ts";
import { refuse } from "../errors.ts";
import { deletePicture, findPicture, savePicture, type UserRow, updateUser } from "../model/users.ts";
import { publishPictureChanged } from "../operations/publish.ts";
import { demandSelf } from "../permissions.ts";
import { bytes, ok, requireUser } from "../require.ts";
import { asynchronously, type Route, route } from "../router.ts";

const MAX_BYTES = 10 * 1024 * 1024;

const signatures: ReadonlyArray<readonly [type: string, head: string]> = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
  ["image/bmp", "424d"],
];

function imageType(image: Uint8Array): string | undefined {
  const head = Buffer.from(image.subarray(0, 8)).toString("hex");
  return signatures.find(([, start]) => head.startsWith(start))?.[0];
}

function getImage(context: Context): unknown {
  const user = requireUser(context, param(context, "user_id"));
  const etag = String(user.last_picture_update);
  const headers = { ETag: etag, "Cache-Control": "max-age=86400, private" };
  if (context.headers["if-none-match"] === etag) return bytes(new Uint8Array(), headers, 304);
  const picture = findPicture(context.mattermost.db, user.id);
  if (picture) return bytes(picture.bytes, { ...headers, "Content-Type": picture.content_type });
  return bytes(drawAvatar(user.username), { ...headers, "Content-Type": "image/png" });
}

async function readUpload(context: Context): Promise<Uint8Array> {
  const type = context.headers["content-type"] ?? "";
  // A body that does not match its content type contains no file.
  const form = await new Response(Buffer.from(context.rawBody), { headers: { "Content-Type": type } })
    .formData()
    .catch(() => null);
  const files = form?.getAll("image") ?? [];
  const [file] = files;
  if (!file || typeof file === "string") refuse("api.user.upload_profile_user.no_file.app_error");
  if (file.size > MAX_BYTES) refuse("api.user.upload_profile_user.too_large.app_error");
  return new Uint8Array(await file.arrayBuffer());
}

function touch(context: Context, user: UserRow, last_picture_update: number): void {
  const update_at = context.mattermost.clock.now();
  updateUser(context.mattermost.db, user.id, { last_picture_update, update_at });
  publishPictureChanged(context.mattermost, { ...user, last_picture_update, update_at });
}

async function postImage(context: Context): Promise<unknown> {
  demandSelf(context, param(context, "user_id"));
  const image = await readUpload(context);
  const content_type = imageType(image);
  if (!content_type) refuse("api.user.upload_profile_user.decode_config.app_error");
  context.mattermost.transact(() => {
    const user = requireUser(context, param(context, "user_id"));
    savePicture(context.mattermost.db, user.id, { content_type, bytes: image });
    touch(context, user, Math.max(context.mattermost.clock.now(), user.last_picture_update + 1));
  });
  return ok;
}

function deleteImage(context: Context): unknown {
  demandSelf(context, param(context, "user_id"));
  const user = requireUser(context, param(context, "user_id"));
  deletePicture(context.mattermost.db, user.id);
  const { isV11, clock } = context.mattermost;
  // A negative time means that there was a picture before.
  touch(context, user, isV11 ? -clock.now() : 0);
  return ok;
}

export const pictureRoutes: Route[] = [
  route("GET", "/users/{user_id}/image", getImage),
  route("POST", "/users/{user_id}/image", postImage, asynchronously),
  route("DELETE", "/users/{user_id}/image", deleteImage),
];

const SIZE = 128;
const CELLS = 5;
const MARGIN = 14;
const CELL = (SIZE - 2 * MARGIN) / CELLS;

function colourOf(hue: number): [number, number, number] {
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (0.48 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Returns numbers below 256 that depend only on the name. */
function bytesOf(name: string, count: number): number[] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return Array.from({ length: count }, (_, index) => {
    let mixed = Math.imul(hash ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) & 255;
  });
}

/**
 * Draws the default picture of a user, as the pages do: a mirrored pattern in a colour that depends only on
 * the name.
 */
export function drawAvatar(username: string): Uint8Array {
  const hash = bytesOf(username, CELLS + 1);
  const [red, green, blue] = colourOf(((hash[0] ?? 0) * 360) / 256);
  const isFilled = (column: number, line: number) => {
    const mirrored = Math.min(column, CELLS - 1 - column);
    return ((hash[1 + line] ?? 0) >> mirrored) % 2 === 1;
  };
  return encodePng(SIZE, SIZE, (x, y) => {
    const column = Math.floor((x - MARGIN) / CELL);
    const line = Math.floor((y - MARGIN) / CELL);
    const isInside = column >= 0 && column < CELLS && line >= 0 && line < CELLS;
    return isInside && isFilled(column, line) ? [red, green, blue] : [240, 240, 242];
  });
}

type Pixel = readonly [red: number, green: number, blue: number];

/** Returns a CRC-32, which the oldest supported Node lacks in `zlib`. */
function crc32(data: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Encodes 8-bit RGB pixels as a PNG. */
function encodePng(width: number, height: number, pixel: (x: number, y: number) => Pixel): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines.set(pixel(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", new Uint8Array()),
  ]);
}
