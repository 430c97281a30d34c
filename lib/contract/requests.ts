import { z } from "zod";
import { isBlankMarkdown } from "../blank-text.ts";
import { MATTERMOST_ID, withIds } from "../mattermost-id.ts";
import { parseMils, readMils } from "../mils.ts";
import { about, account, accountShape, NotifyLevel } from "./examples.ts";
import { MOST_FILES, SHORTEST_TERM } from "./limits.ts";

/** Mattermost's own limit. */
const MAX_MESSAGE = 16_383;
/**
 * Old servers can hold longer posts, which their authors can edit; Mattermost refuses those beyond its limit.
 */
const MAX_EDITED_MESSAGE = 65_535;
const MAX_TERM = 512;
const MAX_TIME = 8_000_000_000_000_000;

/** An invented id for examples. */
const exampleId = (letter: string) => letter.repeat(26);

const id = z.string().regex(MATTERMOST_ID, "must be an id: 26 letters and digits");

/** Text measured as Mattermost counts characters, without any that its database cannot store. */
export const textOf = (max: number) =>
  z
    .string()
    .trim()
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes("\0"), "must not contain a NUL character");

const MESSAGE = "Markdown; surrounding white space is removed";
const EMPTY = "must contain a visible character";
const editedMessage = about(
  textOf(MAX_EDITED_MESSAGE).refine((value) => !isBlankMarkdown(value), EMPTY),
  `${MESSAGE}; more than 16,383 characters only if Mattermost's MaxPostSize allows it`,
  "hello",
  { minLength: 1, maxLength: MAX_EDITED_MESSAGE },
);
const term = (example: string) =>
  about(textOf(MAX_TERM), `fewer than ${SHORTEST_TERM} characters find nothing`, example, {
    maxLength: MAX_TERM,
  });

const count = (least: number, most: number) => z.number().int().min(least).max(most);

/** A count in an address: digits only. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/, "must be a number")
  .transform(Number);

export const FavoriteRequest = z.object({ favorite: z.boolean() });
export const MuteRequest = z
  .object({
    mute: about(z.boolean().optional(), "true counts only mentions; omit it to leave it unchanged", true),
    notifyLevel: about(
      NotifyLevel.optional(),
      "messages that notify while the channel is not muted: `all`, `mention` (includes direct messages), `none`, or `default` for the caller's general setting; omit it to leave it unchanged",
      "mention",
    ),
  })
  .refine(({ mute, notifyLevel }) => mute !== undefined || notifyLevel !== undefined, {
    path: ["mute"],
    message: "must be true or false if notifyLevel is missing",
  });
export const ChannelSearchRequest = z.object({ term: term("town") });
const NewPost = z.object({
  message: about(textOf(MAX_MESSAGE), `${MESSAGE}; empty only with files`, "hello", {
    maxLength: MAX_MESSAGE,
  }),
  rootId: about(
    id.or(z.literal("")).nullish(),
    "id of the first post of the thread to reply to; the id of a reply is 404",
    exampleId("p"),
  ),
  pendingPostId: about(
    z
      .string()
      .regex(withIds("^{id}:\\d{10,16}$"), "must be a user id, a colon and a time in milliseconds")
      .optional(),
    "an id chosen by the sender: your user id (another user's is 400), a colon, and a time in milliseconds. Sending it again within half a minute returns the existing post instead of creating a second one",
    `${exampleId("u")}:1767225600000`,
  ),
  type: z.literal("me").optional().describe("an action, in asterisks: `*waves*`"),
  fileIds: about(
    z.array(id).max(MOST_FILES).optional(),
    "files uploaded to this channel by `POST /api/chat/channels/{channelId}/files` that are in no post yet; others are ignored, and a post without a text needs one that is not",
    [exampleId("f")],
  ),
});
/** Returns whether a post shows nothing without files. The text of an action is the part between its asterisks. */
export const isBlankPost = ({ message, type }: { message: string; type?: "me" | undefined }) =>
  isBlankMarkdown(type === "me" ? message.replace(/^\*([\s\S]*)\*$/, "$1") : message);
export const NewPostRequest = NewPost.refine(
  (post) => !isBlankPost(post) || (post.fileIds?.length ?? 0) > 0,
  { path: ["message"], message: EMPTY },
);
export const PostEditRequest = z.object({ message: editedMessage });
export const ReactionRequest = z.object({
  emoji: about(
    z.string().regex(/^[a-z0-9_+-]{1,64}$/, "must be a short name such as thumbsup or +1"),
    "short name of an emoji",
    "thumbsup",
  ),
  add: z.boolean().describe("false removes it"),
});
export const PostSearchRequest = z
  .object({
    term: about(
      textOf(MAX_TERM).min(1, "must not be empty").optional(),
      "as in Mattermost: words, `from:alice`, `in:town`",
      "report",
      { maxLength: MAX_TERM },
    ),
    mentions: z.literal(true).optional().describe("instead of a term: messages that mention the caller"),
    page: count(0, 100).default(0).describe("counted from 0"),
    per_page: count(1, 100).default(20),
  })
  .refine(({ term, mentions }) => (term === undefined) === (mentions === true), {
    path: ["term"],
    message: "is required unless mentions is true",
  });
export const DirectRequest = z.object({
  username: about(z.string().max(64), "a chain account", "bob"),
});

export const PostsQuery = z
  .object({
    before: about(
      id.optional(),
      "the posts just before this one; `hasMore` reports older ones",
      exampleId("p"),
    ),
    after: about(
      id.optional(),
      "the posts just after this one; `hasMore` reports newer ones",
      exampleId("p"),
    ),
    around: about(
      id.optional(),
      "this post, with half of `per_page` before it and half after it; `hasMore` reports older ones",
      exampleId("p"),
    ),
    thread: about(
      id.optional(),
      "the thread that starts with this post, with all replies: `per_page` is ignored, `hasMore` is false, and the id of a reply is 404",
      exampleId("p"),
    ),
    per_page: digits.pipe(count(1, 200)).default(40).describe("posts per page"),
  })
  .refine(
    ({ before, after, around, thread }) => [before, after, around, thread].filter(Boolean).length <= 1,
    { message: "before, after, around and thread exclude each other" },
  );

export const ThreadsQuery = z.object({
  before: about(
    id.optional(),
    "id of a thread: returns those whose last reply is older than its last reply",
    exampleId("p"),
  ),
  unread: z.enum(["true", "false"]).default("false").describe("true leaves out read threads"),
  per_page: digits.pipe(count(1, 100)).default(25).describe("entries per page"),
});
export const ThreadViewRequest = z.object({
  until: about(
    count(1, MAX_TIME),
    "`create_at` of the last reply that the caller has seen",
    1_767_225_600_000,
  ),
});
export const FollowRequest = z.object({ follow: z.boolean().describe("false unfollows it") });

export const TranslationRequest = z.object({
  target: about(
    z.string().regex(/^[a-z]{2,3}(-[A-Za-z]{2,8})?$/, "must be a language such as es or zh-Hans"),
    "target language, by the translation server's name for it",
    "es",
  ),
});

export const PinRequest = z.object({ pin: z.boolean().describe("false unpins it") });

const pageOf = (most: number, usual: number) => ({
  page: digits.pipe(count(0, 10_000)).default(0).describe("counted from 0"),
  per_page: digits.pipe(count(1, most)).default(usual).describe("entries per page"),
});

export const MembersQuery = z.object({
  q: about(
    textOf(MAX_TERM).default(""),
    "beginning of a username, nickname or full name; omit it for all members",
    "ali",
    { maxLength: MAX_TERM },
  ),
  ...pageOf(100, 50),
});

export const BrowseQuery = z.object({
  q: about(
    textOf(MAX_TERM).default(""),
    "words of a name, title or purpose; omit it for all channels",
    "town",
    {
      maxLength: MAX_TERM,
    },
  ),
  ...pageOf(100, 25),
});

export const UserSearchQuery = z.object({ q: term("ali") });

const communityText = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: ["string", "null"], description });

/**
 * The body of bootstrap. All fields but the name accept any type here: an invalid access token is a 401, not
 * a 400, and the community is checked afterwards. The last three are accepted and ignored, because titles
 * come from the chain.
 */
export const BootstrapRequest = z
  .object({
    username: about(z.string().min(1), "chain account", "alice", accountShape),
    accessToken: z
      .unknown()
      .optional()
      .meta({ type: "string", description: "must belong to the account", examples: ["eyJzaWduZWRfbWVz…"] }),
    community: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        description: "id of a community whose channel the user joins",
        examples: ["hive-100001"],
      }),
    refreshToken: communityText("not used"),
    displayName: communityText("not used"),
    communityTitle: communityText("not used"),
  })
  .meta({ required: ["username", "accessToken"] });

const of = (shape: RegExp) => z.string().regex(shape, "is not valid").optional();

/**
 * The query of a websocket. Everything except the token is passed on, in the formats that Mattermost accepts,
 * because Mattermost cuts the connection for any other.
 */
export const WebsocketQuery = z.object({
  token: z
    .string()
    .optional()
    .meta({ pattern: MATTERMOST_ID.source, description: "the PAT, for clients that cannot set headers" }),
  connection_id: of(withIds("^({id})?$")).describe("from `hello`; resumes that connection"),
  sequence_number: of(/^\d{1,15}$/).describe("with `connection_id`: number of the next event"),
  posted_ack: of(/^(true|false)$/).describe("`true`: the client acknowledges `posted` events"),
  disconnect_err_code: of(/^\d{0,5}$/).describe("close code of the previous connection"),
});

const MAX_TIP = readMils("100.000 HBD");

export const PaymentsQuery = z.object({ account });

/**
 * A tip for a person or for one of their messages. The address names its target, because a payment is tied to the
 * address.
 */
export const TipQuery = z.object({
  to: account,
  amount: z
    .string()
    .refine((text) => isTip(`${text} HBD`), "must be HBD with three decimals, 0.001 to 100.000")
    .meta({ description: "HBD with three decimals, 0.001 to 100.000", examples: ["0.050"] }),
  post: id.optional().describe("the message to tip"),
  note: z.enum(["none"]).optional().describe("`none` sends the recipient no message about the tip"),
});

export const TipsQuery = z
  .object({
    post: id.optional().describe("one message; excludes `posts`"),
    posts: z
      .string()
      .regex(withIds("^{id}(,{id}){0,99}$"), "must be 1 to 100 comma-separated ids")
      .optional()
      .describe("up to 100 messages, as comma-separated ids; excludes `post`"),
  })
  .refine(({ post, posts }) => (post === undefined) !== (posts === undefined), {
    message: "must contain either post or posts",
  });

function isTip(amount: string): boolean {
  const mils = parseMils(amount);
  return mils !== null && mils > 0 && mils <= MAX_TIP;
}

export type MuteRequest = z.input<typeof MuteRequest>;
export type NewPost = z.input<typeof NewPost>;
export type ReactionRequest = z.input<typeof ReactionRequest>;
export type PostSearchRequest = z.input<typeof PostSearchRequest>;
export type PostsQuery = z.output<typeof PostsQuery>;
export type ThreadsQuery = z.output<typeof ThreadsQuery>;
export type MembersQuery = z.output<typeof MembersQuery>;
export type BrowseQuery = z.output<typeof BrowseQuery>;
export type BootstrapRequest = z.input<typeof BootstrapRequest>;
