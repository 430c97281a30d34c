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
    "its whole address, with http or https",
    "https://images.hive.blog/p/valley.png",
    { maxLength: 2048 },
  ),
});

/** A picture of an article, by the path that came with the article. */
export const ArticlePictureQuery = OutsideQuery.extend({
  key: about(
    z.string().regex(/^[\w-]{43}$/, "must be that of the path that the article came with"),
    "proves that this server gave the path out",
    "k".repeat(43),
    { pattern: "^[\\w-]{43}$" },
  ),
});

export const FileQuery = z.object({
  size: about(
    z.enum(["thumbnail", "preview"]).optional(),
    "a small picture of it, where Mattermost has made one; without it the file itself",
    "preview",
  ),
  download: z.literal("true").optional().describe("to be saved, not shown, whatever it is"),
});
export type FileQuery = z.infer<typeof FileQuery>;

export const UploadQuery = z.object({
  name: about(
    textOf(MAX_FILE_NAME).min(1, "must not be empty"),
    "its file name; the ending is made that of its kind",
    "valley.png",
    { maxLength: MAX_FILE_NAME },
  ),
});

/** Operations that serve or receive pictures and files of messages. */
export const mediaOperations = {
  "/api/chat/channels/{channelId}/files": {
    post: {
      summary: "Sends a picture, to be put into a post",
      description: `The body is the picture itself: PNG, JPEG, GIF, WebP or AVIF by its bytes, at most ${LARGEST_UPLOAD / 1024 / 1024} MiB, passed on as it comes. Its \`id\` goes into \`fileIds\` of a post in the same channel.`,
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
      summary: "Sends a picture to the operator's image host",
      description: `Where there is one (\`hostsPictures\` of \`GET /api/chat/me\`), for public channels: the answer's \`url\` goes into a message as \`![name](url)\`, and whoever knows it sees the picture. The body is as that of \`…/files\`, at most ${LARGEST_UPLOAD / 1024 / 1024} MiB.`,
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
      summary: "A file of a post, or a small picture of it",
      description:
        "With `Range` a part of it (206), with `If-Modified-Since` 304. Pictures are shown; everything else is `application/octet-stream`, to be saved, and nothing of it can run. A file that the caller may not read is 404, as is a small picture that was not made. What a file is, its post tells in `metadata.files`.",
      query: FileQuery,
      limits: [filesLimit],
      answer: { mediaType: "*/*" },
      isTagged: true,
      failures: ["range_not_satisfiable"],
    },
  },
  "/api/chat/pictures": {
    get: {
      summary: "A picture of another server, fetched by the gateway",
      description: [
        "For pictures in messages: their servers learn of no reader. PNG, JPEG, GIF, WebP or AVIF by their bytes, at most 8 MiB, from the public internet alone, within 10 s. Whatever can't be shown is 404, and nothing tells why.",
        "In a page of the same site the cookie lets `<img>` ask; elsewhere fetch it with the token. `If-None-Match` with its `ETag` is answered by 304.",
      ].join("\n\n"),
      query: OutsideQuery,
      limits: [picturesLimit],
      answer: { mediaType: "image/*" },
      isTagged: true,
    },
  },
  "/api/demo/pictures": {
    get: {
      summary: "A picture of another server in an article",
      description:
        "By a path of an article's `pictures`: whoever was given the article sees them without a token. As `GET /api/chat/pictures` for the rest; a path that was not given out is 404.",
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
      summary: "What is behind a link of a message",
      description: [
        "For a post on the chain, at an address of one of the sites that show them (hive.blog, peakd.com, ecency.com, inleo.io and others), its title, author and payout as a node of the chain tells them: to be shown, not to be counted on. For a page elsewhere what its head says in Open Graph's words, Twitter's or its own, read by the gateway as pictures are.",
        "Texts are one line without signs that turn or hide others. Whatever has no preview is 404, and nothing tells why. Where the operator wants no other server asked, posts on the chain still have one.",
      ].join("\n\n"),
      query: OutsideQuery,
      limits: [previewsLimit],
      answer: "Preview",
    },
  },
} satisfies Operations;
