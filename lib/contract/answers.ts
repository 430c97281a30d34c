import { z } from "zod";
import { errorTable } from "../errors.ts";
import { reasons } from "../x402/facilitator/reasons.ts";
import { refusalCodes } from "../x402/paywall/refusals.ts";
import { PaymentRequirements, SettleResponse, VerifyResponse } from "../x402/types.ts";

const codes = errorTable.map(({ code }) => code);
const id = z.string().describe("a Mattermost id: 26 letters and digits");
const ms = z.number().int().describe("milliseconds since 1970");

const Failure = z.object({
  error: z.string().describe("one English sentence"),
  code: z.enum(codes),
  requestId: z.string(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** What a facilitator's own refusals have beside the fields of the protocol. */
const { error, code, requestId, issues } = Failure.shape;
const refusal = { error, code, requestId, issues };

/** Where the facilitator itself fails, it says so in the place of a reason. */
const failures = [
  "invalid_payload",
  ...errorTable.flatMap(({ code, status }) => (status < 500 ? [] : [code])),
];

const Done = z.object({ ok: z.literal(true) });

const User = z.object({
  id,
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  nickname: z.string(),
  last_picture_update: ms,
  is_bot: z.boolean().optional(),
  status: z.string().optional(),
});

const channelType = z.enum(["O", "P", "D", "G"]);

const ChannelEntry = z.object({
  id,
  name: z.string(),
  display_name: z.string(),
  type: channelType,
  team_id: z.string(),
  header: z.string(),
  purpose: z.string(),
  last_post_at: ms,
  total_msg_count: z.number().int(),
  total_msg_count_root: z.number().int(),
  create_at: ms,
  is_favorite: z.boolean(),
  is_muted: z.boolean(),
  mention_count: z.number().int(),
  message_count: z.number().int(),
  last_viewed_at: ms,
  order: z.number().int(),
  directUser: User.nullable().optional(),
});

const Unreads = z.object({
  channels: z.array(
    z.object({
      channelId: id,
      type: channelType,
      mention_count: z.number().int(),
      message_count: z.number().int(),
      thread_unread: z.number().int(),
      unread_eligible: z.boolean(),
    }),
  ),
  totalMentions: z.number().int(),
  totalDMs: z.number().int(),
  totalThreads: z.number().int(),
  totalUnread: z.number().int(),
  truncated: z.boolean(),
});

const Reaction = z.looseObject({ user_id: id, post_id: id, emoji_name: z.string() });

const Post = z.looseObject({
  id,
  channel_id: id,
  user_id: id,
  message: z.string(),
  root_id: z.string().describe("empty when the post is no reply"),
  type: z.string().describe("empty for what people write; `system_…` for the chat server's own words"),
  create_at: ms,
  update_at: ms,
  edit_at: ms.describe("0 when the text was never changed"),
  delete_at: ms.describe("0 unless deleted"),
  reply_count: z.number().int().optional(),
  last_reply_at: ms.optional(),
  pending_post_id: z.string().optional().describe("the sender's own name for the post"),
  props: z.record(z.string(), z.unknown()).nullish(),
  metadata: z.looseObject({ reactions: z.array(Reaction).nullish() }).nullish(),
});

const users = z.record(z.string(), User);

const channelBasics = {
  id,
  name: z.string(),
  display_name: z.string(),
  type: channelType,
  header: z.string(),
  purpose: z.string(),
};

const PostsPage = z.object({
  posts: z.array(Post).describe("oldest first"),
  users,
  channel: z.looseObject(channelBasics),
  member: z.looseObject({ last_viewed_at: ms }).nullable().describe("null for a reader who is no member"),
  community: z.string().nullable(),
  canModerate: z.boolean(),
  hasMore: z.boolean(),
  memberCount: z.number().int().optional(),
});

const FoundChannel = z.object({ ...channelBasics, is_member: z.boolean() });

const Bootstrap = z.object({
  ok: z.literal(true),
  userId: id,
  channelId: id.optional().describe("present when a community was named"),
  token: z.string().describe("the PAT"),
});

const Me = z.object({ user: User, expiresAt: z.string().optional() });

const FoundPosts = z.object({
  posts: z.array(Post).describe("newest first"),
  users,
  channels: z.record(
    z.string(),
    z.looseObject({ id, name: z.string(), display_name: z.string(), type: channelType }),
  ),
});

const Challenge = z.object({ message: z.string(), expiresAt: z.string() });

const SignedIn = z.object({ username: z.string() });

const Tokens = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.string() });

const RenewedTokens = Tokens.extend({
  refreshToken: z.string().optional().describe("where the request named one: the cookie stays as it is"),
});

const Part = z.looseObject({ ok: z.boolean(), ms: z.number() });
const Readiness = z.looseObject({
  status: z.enum(["ok", "degraded", "unavailable", "draining"]),
  parts: z
    .object({
      backend: Part.extend({
        database: z
          .enum(["ok", "down"])
          .optional()
          .describe("the backend's own; absent where that does not answer"),
        warning: z
          .enum(["user_limit_near", "user_limit_reached"])
          .optional()
          .describe("from 80 % of the users that it takes"),
      }),
      store: Part,
      chain: Part,
    })
    .optional()
    .describe("absent while the process shuts down"),
});

const PaymentRequired = z.looseObject({
  x402Version: z.number(),
  error: z.string().optional().describe("one English sentence"),
  code: z.enum(refusalCodes).optional(),
  accepts: z.array(PaymentRequirements),
});

/** The answers' schemas by their names in the document. */
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
  PaymentRequired,
  VerifyResponse: VerifyResponse.extend({ invalidReason: z.enum(reasons).optional() }),
  SettleResponse: SettleResponse.extend({ errorReason: z.enum(reasons).optional() }),
  VerifyFailure: VerifyResponse.extend({ invalidReason: z.enum(failures), ...refusal }),
  SettleFailure: SettleResponse.extend({ errorReason: z.enum(failures), ...refusal }),
  Reaction,
  Bootstrap,
  Me,
  Channels: z.object({ channels: z.array(ChannelEntry) }),
  FoundChannels: z.object({ channels: z.array(FoundChannel) }),
  OnePost: z.object({ post: Post }),
  FoundPosts,
  Direct: z.object({ channelId: id }),
  Users: z.object({ users: z.array(User) }),
  Challenge,
  Session: SignedIn,
  Keys: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }),
  Supported: z.looseObject({
    kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
  }),
  FacilitatorHealth: z.looseObject({ status: z.enum(["ok", "degraded"]), network: z.string() }),
  Payments: z.object({
    account: z.string(),
    balance: z.string(),
    payments: z.array(
      z.object({
        txId: z.string(),
        blockNum: z.number().int(),
        time: z.string().describe("ISO 8601"),
        from: z.string(),
        to: z.string(),
        amount: z.string().describe("such as 0.050 HBD"),
        direction: z.enum(["paid", "earned"]),
      }),
    ),
  }),
  Alive: z.object({ status: z.literal("ok") }),
  Sandbox: z.looseObject({ accounts: z.array(z.looseObject({ name: z.string() })) }),
} as const;

export type AnswerName = keyof typeof answers;

export type User = z.infer<typeof User>;
export type ChannelEntry = z.infer<typeof ChannelEntry>;
export type FoundChannel = z.infer<typeof FoundChannel>;
export type Unreads = z.infer<typeof Unreads>;
export type Reaction = z.infer<typeof Reaction>;
export type Post = z.infer<typeof Post>;
export type PostsPage = z.infer<typeof PostsPage>;
export type FoundPosts = z.infer<typeof FoundPosts>;
export type Bootstrap = z.infer<typeof Bootstrap>;
export type Me = z.infer<typeof Me>;
export type Challenge = z.infer<typeof Challenge>;
export type SignedIn = z.infer<typeof SignedIn>;
export type Tokens = z.infer<typeof Tokens>;
export type RenewedTokens = z.infer<typeof RenewedTokens>;
