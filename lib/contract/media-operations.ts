import { z } from "zod";
import { about } from "./examples.ts";
import {
  articlePicturesLimit,
  filesLimit,
  LARGEST_UPLOAD,
  type Operations,
  picturesLimit,
  previewsLimit,
  UPLOAD_TYPES,
  uploadsLimit,
} from "./limits.ts";
import { textOf } from "./requests.ts";

const MAX_FILE_NAME = 200;

/** An object on another server that a message shows or links to. */
export const OutsideQuery = z.object({
  url: about(
    z
      .string()
      .min(1)
      .max(2048)
      .regex(/^https?:\/\//i, "must be an address with http or https"),
    "complete address, with http or https",
    "https://images.hive.blog/p/valley.png",
    { maxLength: 2048 },
  ),
});

/** A picture of an article, by the path that the article states. */
export const ArticlePictureQuery = OutsideQuery.extend({
  key: about(
    z.string().regex(/^[\w-]{43}$/, "must be the key from the article's path"),
    "proves that this server issued the path",
    "k".repeat(43),
    { pattern: "^[\\w-]{43}$" },
  ),
});

export const FileQuery = z.object({
  size: about(
    z.enum(["thumbnail", "preview"]).optional(),
    "a small version of a picture, if Mattermost created one; omit it for the file itself",
    "preview",
  ),
  download: z.literal("true").optional().describe("offers any file as a download instead of displaying it"),
});
export type FileQuery = z.infer<typeof FileQuery>;

export const UploadQuery = z.object({
  name: about(
    textOf(MAX_FILE_NAME).min(1, "must not be empty"),
    "file name; its extension is changed to match the file's type",
    "valley.png",
    { maxLength: MAX_FILE_NAME },
  ),
});

/** Operations that serve or receive pictures and files of messages. */
export const mediaOperations = {
  "/api/chat/channels/{channelId}/files": {
    post: {
      summary: "Uploads a picture for a post",
      description: `The body is the picture itself: a PNG, JPEG, GIF, WebP or AVIF, judged by its bytes, of up to ${LARGEST_UPLOAD / 1024 / 1024} MiB. Put its \`id\` into \`fileIds\` of a post in the same channel.`,
      file: UPLOAD_TYPES,
      bodyBytes: LARGEST_UPLOAD,
      query: UploadQuery,
      limits: [uploadsLimit],
      answer: "OneFile",
      failures: ["payload_too_large", "unsupported_media_type"],
    },
  },
  "/api/chat/channels/{channelId}/pictures": {
    post: {
      summary: "Uploads a picture to the operator's image host",
      description: `For public channels, if there is an image host (\`hostsPictures\` in \`GET /api/chat/me\`). Put the answer's \`url\` into a message as \`![name](url)\`; anyone who knows it can see the picture. The body is the same as for \`…/files\`, up to ${LARGEST_UPLOAD / 1024 / 1024} MiB.`,
      file: UPLOAD_TYPES,
      bodyBytes: LARGEST_UPLOAD,
      query: UploadQuery,
      limits: [uploadsLimit],
      answer: "HostedPicture",
      failures: ["payload_too_large", "unsupported_media_type", "image_host_unavailable"],
    },
  },
  "/api/chat/files/{fileId}": {
    get: {
      summary: "Returns a file of a post, or a small version of a picture",
      description:
        "Supports `Range` (206) and `If-Modified-Since` (304). Pictures are displayed; everything else is an `application/octet-stream` download, so nothing in it can run. A file that the caller may not read is 404, as is a small version that does not exist. `metadata.files` of the post describes its files.",
      query: FileQuery,
      limits: [filesLimit],
      answer: { mediaType: "*/*" },
      isTagged: true,
      failures: ["range_not_satisfiable"],
    },
  },
  "/api/chat/pictures": {
    get: {
      summary: "Returns a picture from another server, fetched by the gateway",
      description: [
        "For pictures in messages, so that their servers learn nothing about readers. A PNG, JPEG, GIF, WebP or AVIF, judged by its bytes, of up to 8 MiB, from the public internet only, within 10 s. Anything that can't be shown is 404, without a reason.",
        "On pages of the same site `<img>` works by the cookie; elsewhere fetch it with the token. `If-None-Match` with its `ETag` returns 304.",
      ].join("\n\n"),
      query: OutsideQuery,
      limits: [picturesLimit],
      answer: { mediaType: "image/*" },
      isTagged: true,
    },
  },
  "/api/demo/pictures": {
    get: {
      summary: "Returns a picture from another server in an article",
      description:
        "Takes a path from an article's `pictures`, so that anyone who received the article sees them without a token. Otherwise like `GET /api/chat/pictures`; a path that this server did not issue is 404.",
      auth: "none",
      query: ArticlePictureQuery,
      limits: [articlePicturesLimit],
      answer: { mediaType: "image/*" },
      isTagged: true,
      failures: ["not_found", "overloaded"],
    },
  },
  "/api/chat/previews": {
    get: {
      summary: "Previews a link in a message",
      description: [
        "For a chain post at one of the sites that show them (hive.blog, peakd.com, ecency.com, inleo.io and others): its title, author and payout as reported by one chain node, for display only. For any other page: the title, description and picture in its Open Graph, Twitter or plain HTML metadata, fetched by the gateway like pictures.",
        "Texts are one line, without characters that reverse or hide others. A link without a preview is 404, without a reason. If the operator disabled requests to other servers, chain posts still have previews.",
      ].join("\n\n"),
      query: OutsideQuery,
      limits: [previewsLimit],
      answer: "Preview",
    },
  },
} satisfies Operations;
