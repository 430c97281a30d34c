import { z } from "zod";
import { isBlankMarkdown } from "../blank-text.ts";
import { MATTERMOST_ID, withIds } from "../mattermost-id.ts";
import { parseMillis } from "../x402/amount.ts";
import { about, account, accountShape, NotifyLevel } from "./examples.ts";
import { MOST_FILES, SHORTEST_TERM } from "./limits.ts";

/** Mattermost's own limit. */
const MAX_MESSAGE = 16_383;
/**
 * Servers set up long ago may hold longer posts, which their authors can edit; Mattermost refuses those beyond its
 * limit.
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
    .refine((value) => !value.includes("\0"), "must not hold a NUL character");

const MESSAGE = "Markdown; white space around it is cut off";
const EMPTY = "must not be empty, or of invisible characters alone";
const editedMessage = about(
  textOf(MAX_EDITED_MESSAGE).refine((value) => !isBlankMarkdown(value), EMPTY),
  `${MESSAGE}; above 16,383 characters where Mattermost's MaxPostSize allows that`,
  "hello",
  { minLength: 1, maxLength: MAX_EDITED_MESSAGE },
);
const term = (example: string) =>
  about(textOf(MAX_TERM), `finds nothing below ${SHORTEST_TERM} characters`, example, {
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
    mute: about(z.boolean().optional(), "true counts mentions alone; absent leaves it", true),
    notifyLevel: about(
      NotifyLevel.optional(),
      "what notifies while the channel is not muted: `all` messages, `mention` (direct messages too), `none`, or `default`, as everywhere; absent leaves it",
      "mention",
    ),
  })
  .refine(({ mute, notifyLevel }) => mute !== undefined || notifyLevel !== undefined, {
    path: ["mute"],
    message: "must be true or false, unless notifyLevel is given",
  });
export const ChannelSearchRequest = z.object({ term: term("town") });
const NewPost = z.object({
  /** At most 16,383 characters; empty only with files. */
  message: about(textOf(MAX_MESSAGE), `${MESSAGE}; empty only with files`, "hello", {
    maxLength: MAX_MESSAGE,
  }),
  /** The root of the thread that it replies to; empty, like `root_id`, in a post that is not a reply. */
  rootId: about(
    id.or(z.literal("")).nullish(),
    "id of the post that begins the thread, for a reply; a reply's own id is 404",
    exampleId("p"),
  ),
  /**
   * The sender's own id for the post, `<user id>:<milliseconds>`: resending within half a minute creates no second
   * post.
   */
  pendingPostId: about(
    z
      .string()
      .regex(withIds("^{id}:\\d{10,16}$"), "must be a user id, a colon and a time in milliseconds")
      .optional(),
    "the sender's own name for the post: your user id (another's is 400), a colon, and a time in milliseconds. Sent again within half a minute it gives the post that it made and makes no second one",
    `${exampleId("u")}:1767225600000`,
  ),
  /** `me`: an action of the author, as `/me waves` in Mattermost; the message stands between asterisks, `*waves*`. */
  type: z.literal("me").optional().describe("an act, between asterisks: `*waves*`"),
  /** Ids from `files.upload` to the same channel, at most ten. */
  fileIds: about(
    z.array(id).max(MOST_FILES).optional(),
    "files that were sent to this channel before, by `POST /api/chat/channels/{channelId}/files`, and are in no post yet; others are left out",
    [exampleId("f")],
  ),
});
/** What an act shows is between its asterisks. */
const isBlankPost = ({ message, type }: { message: string; type?: "me" | undefined }) =>
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
  add: z.boolean().describe("false takes it back"),
});
export const PostSearchRequest = z
  .object({
    term: about(
      textOf(MAX_TERM).min(1, "must not be empty").optional(),
      "as in Mattermost: words, `from:alice`, `in:town`",
      "report",
      { maxLength: MAX_TERM },
    ),
    mentions: z.literal(true).optional().describe("in place of a term: what names the caller"),
    page: count(0, 100).default(0).describe("pages begin at 0"),
    per_page: count(1, 100).default(20),
  })
  .refine(({ term, mentions }) => (term === undefined) === (mentions === true), {
    path: ["term"],
    message: "must be given, or mentions in its place",
  });
export const DirectRequest = z.object({
  username: about(z.string().max(64), "an account of the chain", "bob"),
});

export const PostsQuery = z
  .object({
    /** The posts before this one. */
    before: about(
      id.optional(),
      "the posts just before this one; `hasMore` tells of older ones",
      exampleId("p"),
    ),
    after: about(
      id.optional(),
      "the posts just after this one; `hasMore` tells of newer ones",
      exampleId("p"),
    ),
    /** The posts on both sides of this one, and the post itself. */
    around: about(
      id.optional(),
      "this post, with half of `per_page` before it and half after it; `hasMore` tells of older ones",
      exampleId("p"),
    ),
    /** The root of a thread: returns it and its replies. */
    thread: about(
      id.optional(),
      "the thread that this post begins, with all its replies: `per_page` does not count, `hasMore` is false, and a reply's id is 404",
      exampleId("p"),
    ),
    per_page: digits.pipe(count(1, 200)).default(40).describe("posts in a page"),
  })
  .refine(
    ({ before, after, around, thread }) => [before, after, around, thread].filter(Boolean).length <= 1,
    { message: "before, after, around and thread exclude each other" },
  );

export const ThreadsQuery = z.object({
  before: about(id.optional(), "a thread: those whose last reply came before its last", exampleId("p")),
  unread: z.enum(["true", "false"]).default("false").describe("true leaves out what is read"),
  per_page: digits.pipe(count(1, 100)).default(25).describe("how many"),
});
export const ThreadViewRequest = z.object({
  until: about(count(1, MAX_TIME), "the `create_at` of the last reply that was seen", 1_767_225_600_000),
});
export const FollowRequest = z.object({ follow: z.boolean().describe("false gives it up") });

export const TranslationRequest = z.object({
  target: about(
    z.string().regex(/^[a-z]{2,3}(-[A-Za-z]{2,8})?$/, "must be a language such as es or zh-Hans"),
    "the language that is wanted, as the translator calls it",
    "es",
  ),
});

export const PinRequest = z.object({ pin: z.boolean().describe("false takes it off") });

const pageOf = (most: number, usual: number) => ({
  page: digits.pipe(count(0, 10_000)).default(0).describe("pages begin at 0"),
  per_page: digits.pipe(count(1, most)).default(usual).describe("how many"),
});

export const MembersQuery = z.object({
  q: about(
    textOf(MAX_TERM).default(""),
    "the beginning of a username, nickname or full name; left out for everybody",
    "ali",
    { maxLength: MAX_TERM },
  ),
  ...pageOf(100, 50),
});

export const BrowseQuery = z.object({
  q: about(textOf(MAX_TERM).default(""), "words of a name, title or purpose; left out for all", "town", {
    maxLength: MAX_TERM,
  }),
  ...pageOf(100, 25),
});

export const UserSearchQuery = z.object({ q: term("ali") });

const communityText = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: ["string", "null"], description });

/**
 * The body of bootstrap. All fields but the name accept any type here: an invalid access token is 401, not 400, and the
 * community is checked after it. The last three are accepted and ignored, because titles come from the chain.
 */
export const BootstrapRequest = z
  .object({
    username: about(z.string().min(1), "account of the chain", "alice", accountShape),
    accessToken: z
      .unknown()
      .optional()
      .meta({ type: "string", description: "must belong to the account", examples: ["eyJzaWduZWRfbWVz…"] }),
    community: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        description: "id of a community, into whose channel the user is put",
        examples: ["hive-100001"],
      }),
    refreshToken: communityText("not used"),
    displayName: communityText("not used"),
    communityTitle: communityText("not used"),
  })
  .meta({ required: ["username", "accessToken"] });

const of = (shape: RegExp) => z.string().regex(shape, "is not valid").optional();

/**
 * The query of a websocket. All but the token is passed on, in the formats that Mattermost accepts: it cuts the
 * connection over any other.
 */
export const WebsocketQuery = z.object({
  token: z
    .string()
    .optional()
    .meta({ pattern: MATTERMOST_ID.source, description: "the PAT, where no header can be set" }),
  connection_id: of(withIds("^({id})?$")).describe("from `hello`: resumes that connection"),
  sequence_number: of(/^\d{1,15}$/).describe("with `connection_id`: the next event"),
  posted_ack: of(/^(true|false)$/).describe("`true`: the client acknowledges `posted` events"),
  disconnect_err_code: of(/^\d{0,5}$/).describe("how the connection before it was closed"),
});

const MAX_TIP_MILLIS = 100_000;

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
  post: id.optional().describe("the message that is tipped"),
  note: z
    .enum(["none"])
    .optional()
    .describe("`none` where whoever gets the tip is not to be told of it in the conversation with them"),
});

export const TipsQuery = z
  .object({
    post: id.optional().describe("one message; excludes `posts`"),
    posts: z
      .string()
      .regex(withIds("^{id}(,{id}){0,99}$"), "must be 1 to 100 ids with commas between them")
      .optional()
      .describe("up to 100 messages: ids with commas between them; excludes `post`"),
  })
  .refine(({ post, posts }) => (post === undefined) !== (posts === undefined), {
    message: "give either post or posts",
  });

function isTip(amount: string): boolean {
  const millis = parseMillis(amount);
  return millis !== null && millis > 0 && millis <= MAX_TIP_MILLIS;
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
