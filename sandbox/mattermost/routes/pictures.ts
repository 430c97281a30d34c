import { type Context, param } from "../context.ts";
import { refuse } from "../errors.ts";
import { deletePicture, findPicture, savePicture, type UserRow, updateUser } from "../model/users.ts";
import { drawAvatar } from "../operations/draw-avatar.ts";
import { publishPictureChanged } from "../operations/publish.ts";
import { demandSelf } from "../permissions.ts";
import { bytes, ok } from "../reply.ts";
import { needUser } from "../require.ts";
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
  const user = needUser(context, param(context, "user_id"));
  const etag = String(user.last_picture_update);
  const headers = { ETag: etag, "Cache-Control": "max-age=86400, private" };
  if (context.headers["if-none-match"] === etag) return bytes(new Uint8Array(), headers, 304);
  const picture = findPicture(context.backend.db, user.id);
  if (picture) return bytes(picture.bytes, { ...headers, "Content-Type": picture.content_type });
  return bytes(drawAvatar(user.username), { ...headers, "Content-Type": "image/png" });
}

function getDefaultImage(context: Context): unknown {
  return bytes(drawAvatar(needUser(context, param(context, "user_id")).username), {
    "Content-Type": "image/png",
    "Cache-Control": "max-age=86400, private",
  });
}

async function readUpload(context: Context): Promise<Uint8Array> {
  const type = context.headers["content-type"] ?? "";
  // A body that is no form of the announced kind holds no file either.
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
  const update_at = context.backend.clock.now();
  updateUser(context.backend.db, user.id, { last_picture_update, update_at });
  publishPictureChanged(context.backend, { ...user, last_picture_update, update_at });
}

async function postImage(context: Context): Promise<unknown> {
  demandSelf(context, param(context, "user_id"));
  const image = await readUpload(context);
  const content_type = imageType(image);
  if (!content_type) refuse("api.user.upload_profile_user.decode_config.app_error");
  context.backend.transact(() => {
    const user = needUser(context, param(context, "user_id"));
    savePicture(context.backend.db, user.id, { content_type, bytes: image });
    touch(context, user, Math.max(context.backend.clock.now(), user.last_picture_update + 1));
  });
  return ok;
}

function deleteImage(context: Context): unknown {
  demandSelf(context, param(context, "user_id"));
  const user = needUser(context, param(context, "user_id"));
  deletePicture(context.backend.db, user.id);
  touch(context, user, 0);
  return ok;
}

export const pictureRoutes: Route[] = [
  route("GET", "/users/{user_id}/image", getImage),
  route("GET", "/users/{user_id}/image/default", getDefaultImage),
  route("POST", "/users/{user_id}/image", postImage, asynchronously),
  route("DELETE", "/users/{user_id}/image", deleteImage),
];
