import { z } from "zod";

/** A channel; fields that are not used here pass through. */
export const Channel = z.looseObject({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  type: z.enum(["O", "P", "D", "G"]),
  team_id: z.string(),
  header: z.string().default(""),
  purpose: z.string().default(""),
  create_at: z.number(),
  delete_at: z.number().default(0),
  last_post_at: z.number().default(0),
  total_msg_count: z.number().default(0),
  total_msg_count_root: z.number().default(0),
});
export type Channel = z.infer<typeof Channel>;

/** A membership; `msg_count` is how many messages the member has read. */
export const ChannelMember = z.looseObject({
  channel_id: z.string(),
  user_id: z.string(),
  last_viewed_at: z.number().default(0),
  msg_count: z.number().default(0),
  msg_count_root: z.number().default(0),
  mention_count: z.number().default(0),
  mention_count_root: z.number().default(0),
  notify_props: z.looseObject({ mark_unread: z.string().optional() }).nullish(),
});
export type ChannelMember = z.infer<typeof ChannelMember>;
