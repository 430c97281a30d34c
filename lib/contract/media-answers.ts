import { z } from "zod";
import { text } from "./examples.ts";

/** A file of a post. */
export const File = z.looseObject({
  id: text("f".repeat(26), "a Mattermost id: 26 letters and digits"),
  user_id: z.string().optional(),
  name: text("valley.png"),
  extension: text("png").optional(),
  size: z
    .number()
    .int()
    .meta({ description: "bytes", examples: [48_213] }),
  mime_type: text("image/png").optional().describe("derived from its name"),
  width: z.number().int().optional().describe("for pictures, in pixels"),
  height: z.number().int().optional(),
  has_preview_image: z.boolean().optional().describe("whether there is a preview; GIFs have none"),
});
export type File = z.infer<typeof File>;

export const OneFile = z.object({ file: File });
export type OneFile = z.infer<typeof OneFile>;

/** A picture at the operator's image host. */
export const HostedPicture = z.object({ url: text("https://images.hive.blog/DQmZi174Xz96/valley.png") });
export type HostedPicture = z.infer<typeof HostedPicture>;

/** The preview of a link. */
export const Preview = z.object({
  kind: z.enum(["hive_post", "page"]),
  site: text("peakd.com", "the host that answers, after all redirects"),
  title: text("A walk in the valley"),
  description: text("Three hours along the river.").nullable(),
  author: text("alice", "the chain account that wrote it; null for a page").nullable(),
  payout: z
    .object({
      amount: text("12.345 HBD"),
      isPaid: z.boolean().describe("false while votes can still change it"),
    })
    .nullable()
    .describe("what the post earns; null for a page, and if the author declines payouts"),
  picture: text(
    "https://images.hive.blog/p/valley.png",
    "address to pass to `GET /api/chat/pictures`",
  ).nullable(),
});
export type Preview = z.infer<typeof Preview>;
