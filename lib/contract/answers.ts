import { z } from "zod";
import { isoTime, ms, NotifyLevel, text, whole, zeroMs } from "./examples.ts";
import {
  Challenge,
  RenewedTokens,
  SignedByWallet,
  SignedIn,
  Tokens,
  WalletChallenge,
  WalletSession,
} from "./login.ts";
import { File, HostedPicture, OneFile, Preview } from "./media-answers.ts";
import { paymentAnswers } from "./payment-answers.ts";
import { Failure } from "./refusals.ts";

const idOf = (letter: string) => text(letter.repeat(26), "a Mattermost id: 26 letters and digits");
const id = idOf("c");
const userId = idOf("u");
const flag = (description: string) => z.literal(true).optional().describe(description);
const account = text("alice");

const Done = z.object({ ok: z.literal(true) });

const User = z.object({
  id: userId,
  username: account,
  first_name: text(""),
  last_name: text(""),
  nickname: text(""),
  last_picture_update: ms,
  is_bot: z.boolean().optional(),
  status: z.string().optional().describe("online, away, dnd or offline, if known"),
});

const channelType = z.enum(["O", "P", "D", "G"]);

const ChannelEntry = z.object({
  id,
  name: text("hive-100001"),
  display_name: text("Town square"),
  type: channelType,
  team_id: idOf("t"),
  header: text(""),
  purpose: text(""),
  last_post_at: ms,
  total_msg_count: whole(12),
  total_msg_count_root: whole(12),
  create_at: ms,
  is_favorite: z.boolean().meta({ examples: [false] }),
  is_muted: z.boolean().meta({ examples: [false] }),
  notify_level: NotifyLevel,
  mention_count: whole(0),
  message_count: whole(0),
  last_viewed_at: ms,
  order: whole(0),
  directUser: User.nullable().optional().describe("the partner in a direct channel"),
});

const Unreads = z.object({
  channels: z.array(
    z.object({
      channelId: id,
      type: channelType,
      mention_count: whole(0),
      message_count: whole(0),
      thread_unread: whole(0),
      unread_eligible: z.boolean(),
    }),
  ),
  totalMentions: whole(0),
  totalDMs: whole(0),
  totalThreads: whole(0),
  totalUnread: whole(0),
  truncated: z.boolean().meta({ examples: [false] }),
});

const Reaction = z.looseObject({ user_id: userId, post_id: idOf("p"), emoji_name: text("thumbsup") });

const Post = z.looseObject({
  id: idOf("p"),
  channel_id: id,
  user_id: userId,
  message: text("hello", "Markdown"),
  root_id: text("", "empty unless the post is a reply"),
  type: text("", "empty for messages of people; `system_…` for messages that Mattermost generates"),
  create_at: ms,
  update_at: ms,
  edit_at: zeroMs("0 if the text was never edited"),
  delete_at: zeroMs("0 unless deleted"),
  reply_count: z.number().int().optional(),
  last_reply_at: ms.optional().describe("0, without `participants`, if the page contains all replies"),
  participants: z.array(z.looseObject({ id: userId })).nullish(),
  is_pinned: z.boolean().optional(),
  pending_post_id: z.string().optional().describe("the id that the sender chose for the post"),
  props: z.record(z.string(), z.unknown()).nullish(),
  file_ids: z.array(id).nullish(),
  metadata: z
    .looseObject({ reactions: z.array(Reaction).nullish(), files: z.array(File).nullish() })
    .nullish(),
});

const users = z.record(z.string(), User);

const channelBasics = {
  id,
  name: text("hive-100001"),
  display_name: text("Town square"),
  type: channelType,
  header: text(""),
  purpose: text(""),
};

const PostsPage = z.object({
  posts: z.array(Post).describe("oldest first"),
  users,
  channel: z.looseObject({
    ...channelBasics,
    delete_at: zeroMs("0 unless archived"),
    directUser: User.extend({
      is_deactivated: flag(
        "their chat user is deactivated: they cannot read, though Mattermost still accepts messages to them",
      ),
    })
      .nullable()
      .optional()
      .describe("the partner in a direct channel"),
  }),
  member: z.looseObject({ last_viewed_at: ms }).nullable().describe("null for non-members"),
  community: text("hive-100001").nullable(),
  canModerate: z.boolean().meta({ examples: [false] }),
  hasMore: z.boolean().describe("whether there are older posts (with `after`: newer ones)"),
  memberCount: z.number().int().optional(),
});

const FoundChannel = z.object({ ...channelBasics, is_member: z.boolean() });

const PublicChannel = FoundChannel.extend({ last_post_at: ms, member_count: whole(12) });

const Member = z.object({
  user: User,
  roles: z
    .array(z.enum(["channel_admin", "team_admin", "system_admin", "guest"]))
    .describe("the user's roles beyond membership; bots are marked by `is_bot`"),
});

const PinnedPosts = z.object({
  posts: z.array(Post).describe("newest first"),
  users,
  total: whole(1).describe("includes pinned posts beyond the listed ones"),
});

const Bootstrap = z.object({
  ok: z.literal(true),
  userId,
  channelId: id.optional().describe("present if a community was requested"),
  token: text("a1".repeat(13), "the PAT"),
});

const SignIns = z.object({
  signIns: z.array(
    z.object({
      id: idOf("s"),
      program: text("Firefox", "the browser or other program that signed in").optional(),
      system: text("Linux").optional(),
      app: text("chat.example.com", "the app that created the access token itself").optional(),
      openedAt: isoTime,
      seenAt: isoTime.describe("when it last bootstrapped, within ten minutes"),
      isCurrent: z.boolean().describe("whether this is the caller's current sign-in"),
    }),
  ),
});

const Me = z.object({
  user: User,
  expiresAt: isoTime.optional(),
  translates: flag("present if messages can be translated"),
  hostsPictures: flag("present if an image host stores the pictures of public channels"),
  showsOutside: flag("present if the gateway fetches pictures and pages from other servers"),
});

const Translation = z.object({
  text: text("hola"),
  source: text("en", "the detected language of the message").nullable(),
  target: text("es"),
});

const channels = z.record(
  z.string(),
  z.looseObject({ id, name: text("hive-100001"), display_name: text("Town square"), type: channelType }),
);

const FoundPosts = z.object({ posts: z.array(Post).describe("newest first"), users, channels });

const FollowedThread = z.object({
  id: idOf("p").describe("id of the first post"),
  channel_id: id,
  reply_count: whole(1),
  last_reply_at: ms,
  last_viewed_at: ms,
  unread_replies: whole(1),
  unread_mentions: whole(0),
  participants: z.array(userId),
  post: Post.describe("the first post"),
});

const ThreadsPage = z.object({
  threads: z.array(FollowedThread).describe("latest reply first"),
  users,
  channels,
  totalUnread: whole(1).describe("number of followed threads with unread replies"),
  totalMentions: whole(0),
  hasMore: z.boolean(),
  isCollapsed: z
    .boolean()
    .describe("whether unread replies are counted here; otherwise they count as messages of their channels"),
});

const Part = z.looseObject({ ok: z.boolean(), ms: z.number() });
const Readiness = z.looseObject({
  status: z.enum(["ok", "degraded", "unavailable", "draining"]),
  parts: z
    .object({
      mattermost: Part.extend({
        database: z
          .enum(["ok", "down"])
          .optional()
          .describe("status of Mattermost's database; absent if Mattermost does not answer"),
        warning: z
          .enum(["user_limit_near", "user_limit_reached", "rate_limited"])
          .optional()
          .describe("80 % or all of the allowed users are reached, or Mattermost rate-limits the gateway"),
      }),
      store: Part,
      chain: Part.extend({
        headAgeSeconds: z
          .number()
          .optional()
          .describe("age of the last block by this machine's clock; negative if the clock is behind"),
        clockAheadSeconds: z
          .number()
          .optional()
          .describe("how far this machine's clock is ahead (negative: behind), if by more than 5 s"),
      }),
    })
    .optional()
    .describe("absent while the process is shutting down"),
});

const Channels = z.object({ channels: z.array(ChannelEntry) });
const FoundChannels = z.object({ channels: z.array(FoundChannel) });
const OnePost = z.object({ post: Post });
const PublicChannels = z.object({ channels: z.array(PublicChannel), hasMore: z.boolean() });
const Members = z.object({ members: z.array(Member), hasMore: z.boolean() });
const Direct = z.object({ channelId: id });
const Users = z.object({ users: z.array(User) });

/** The schemas of answers, by their names in the document. */
export const answers = {
  Failure,
  Done,
  User,
  ChannelEntry,
  Post,
  PostsPage,
  Unreads,
  Tokens,
  RenewedTokens,
  Readiness,
  Reaction,
  Bootstrap,
  SignIns,
  Me,
  Channels,
  FoundChannels,
  File,
  OneFile,
  HostedPicture,
  Preview,
  OnePost,
  PublicChannels,
  Members,
  PinnedPosts,
  Translation,
  FoundPosts,
  ThreadsPage,
  Direct,
  Users,
  Challenge: z.union([Challenge.strict(), WalletChallenge]),
  SignedByWallet,
  WalletSession,
  Session: SignedIn,
  Keys: z.looseObject({ keys: z.array(z.looseObject({ kty: text("OKP") })) }),
  ...paymentAnswers,
  Alive: z.object({ status: z.literal("ok") }),
} as const;

export type AnswerName = keyof typeof answers;

export type Done = z.infer<typeof Done>;
/** The answer of an operation that has nothing to return. */
export const done: Done = { ok: true };
export type User = z.infer<typeof User>;
export type ChannelEntry = z.infer<typeof ChannelEntry>;
export type FoundChannel = z.infer<typeof FoundChannel>;
export type PublicChannel = z.infer<typeof PublicChannel>;
export type Member = z.infer<typeof Member>;
export type Translation = z.infer<typeof Translation>;
export type PinnedPosts = z.infer<typeof PinnedPosts>;
export type Unreads = z.infer<typeof Unreads>;
export type Reaction = z.infer<typeof Reaction>;
export type Post = z.infer<typeof Post>;
export type PostsPage = z.infer<typeof PostsPage>;
export type FoundPosts = z.infer<typeof FoundPosts>;
export type FollowedThread = z.infer<typeof FollowedThread>;
export type ThreadsPage = z.infer<typeof ThreadsPage>;
export type Bootstrap = z.infer<typeof Bootstrap>;
export type SignIns = z.infer<typeof SignIns>;
export type Me = z.infer<typeof Me>;
export type Readiness = z.infer<typeof Readiness>;
export type Channels = z.infer<typeof Channels>;
export type FoundChannels = z.infer<typeof FoundChannels>;
export type OnePost = z.infer<typeof OnePost>;
export type PublicChannels = z.infer<typeof PublicChannels>;
export type Members = z.infer<typeof Members>;
export type Direct = z.infer<typeof Direct>;
export type Users = z.infer<typeof Users>;
