import { z } from "zod";
import { isAccountName } from "../hive/account-name.ts";
import { parseMillis } from "../x402/amount.ts";

/** What the backend itself takes. */
const MAX_MESSAGE = 16_383;
const MAX_TERM = 512;

const id = z.string().regex(/^[a-z0-9]{26}$/, "must be an id: 26 letters and digits");

/** Characters as the backend counts them, and none that its database can't hold. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine((value) => !value.includes("\0"), "must not hold a NUL character");

const message = text(MAX_MESSAGE).min(1, "must not be empty");
const term = text(MAX_TERM);

const count = (least: number, most: number) => z.number().int().min(least).max(most);

/** A count as an address has it: digits alone. */
const digits = z
  .string()
  .regex(/^\d{1,9}$/, "must be a number")
  .transform(Number);

export const FavoriteRequest = z.object({ favorite: z.boolean() });
export const MuteRequest = z.object({ mute: z.boolean() });
export const ChannelSearchRequest = z.object({ term });
export const NewPostRequest = z.object({
  message,
  /** Empty as `root_id` is in a post that is no reply. */
  rootId: id.or(z.literal("")).nullish(),
  /** The sender's own name for the post: sent again within half a minute it makes no second post. */
  pendingPostId: z
    .string()
    .regex(/^[a-z0-9]{26}:\d{10,16}$/, "must be a user id, a colon and a time in milliseconds")
    .optional(),
});
export const PostEditRequest = z.object({ message });
export const ReactionRequest = z.object({
  emoji: z.string().regex(/^[a-z0-9_+-]{1,64}$/, "must be a short name such as thumbsup or +1"),
  add: z.boolean(),
});
export const PostSearchRequest = z.object({
  term: term.min(1, "must not be empty"),
  page: count(0, 100).default(0),
  per_page: count(1, 100).default(20),
});
export const DirectRequest = z.object({ username: z.string().max(64) });

export const PostsQuery = z
  .object({
    before: id.optional(),
    after: id.optional(),
    around: id.optional(),
    thread: id.optional(),
    per_page: digits.pipe(count(1, 200)).default(40),
  })
  .refine(
    ({ before, after, around, thread }) => [before, after, around, thread].filter(Boolean).length <= 1,
    {
      message: "before, after, around and thread exclude each other",
    },
  );

export const UserSearchQuery = z.object({ q: term });

const communityText = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: ["string", "null"], description });

/**
 * What bootstrap takes. All but the name may be of any type here: whatever is wrong with the access token is 401, not
 * 400, and the community is looked at after it. The last three are let in and not used: titles come from the chain.
 */
export const BootstrapRequest = z
  .object({
    username: z.string().min(1).describe("account of the chain"),
    accessToken: z.unknown().optional().meta({ type: "string", description: "must belong to the account" }),
    community: communityText("id of a community, into whose channel the user is put"),
    refreshToken: communityText("not used"),
    displayName: communityText("not used"),
    communityTitle: communityText("not used"),
  })
  .meta({ required: ["username", "accessToken"] });

const of = (shape: RegExp) => z.string().regex(shape, "is not valid").optional();

/** What a websocket's query may hold. All but the token passes on, in the shapes that the backend takes: it cuts the connection over any other. */
export const WebsocketQuery = z.object({
  token: z.string().optional().describe("the PAT, where no header can be set"),
  connection_id: of(/^([a-z0-9]{26})?$/).describe("from `hello`: resumes that connection"),
  sequence_number: of(/^\d{1,15}$/).describe("with `connection_id`: the next event"),
  posted_ack: of(/^(true|false)$/),
  disconnect_err_code: of(/^\d{0,5}$/),
});

export const ChallengeRequest = z.object({
  username: z.string().refine(isAccountName, "must be the name of a chain account"),
});

export const LoginRequest = ChallengeRequest.extend({
  message: z.string().max(1024),
  signature: z.string().max(256),
});

export const RefreshRequest = z.object({ refreshToken: z.string().max(4096).nullish() });

const MAX_TIP_MILLIS = 100_000;

const account = z.string().refine(isAccountName, "must be a chain account name");
const postId = z.string().regex(/^[a-z0-9]{26}$/, "must be an id: 26 letters and digits");

export const PaymentsQuery = z.object({ account });

/** A tip for a person, or for a message of theirs. What is tipped stands in the address, because that is what a payment is tied to. */
export const TipQuery = z.object({
  to: account,
  amount: z
    .string()
    .refine((text) => isTip(`${text} HBD`), "must be HBD with three decimals, 0.001 to 100.000"),
  post: postId.optional(),
});

export const TipsQuery = z
  .object({
    post: postId.optional(),
    posts: z
      .string()
      .regex(/^[a-z0-9]{26}(,[a-z0-9]{26}){0,99}$/, "must be 1 to 100 ids with commas between them")
      .optional(),
  })
  .refine(({ post, posts }) => (post === undefined) !== (posts === undefined), {
    message: "give either post or posts",
  });

function isTip(amount: string): boolean {
  const millis = parseMillis(amount);
  return millis !== null && millis > 0 && millis <= MAX_TIP_MILLIS;
}
