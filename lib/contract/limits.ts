import type { ErrorCode } from "../errors.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { RequestRules } from "../http/request-rules.ts";
import type { AnswerName } from "./answers.ts";

/**
 * Quotas of a route that takes credentials. The account's quota is counted for each client apart: otherwise anybody
 * could shut somebody else out by asking in their name.
 */
function identityLimits(name: string): ReadonlyArray<RateLimit<{ username: string }>> {
  return [
    { name, requests: 120, windowSeconds: 60, by: "client" },
    {
      name: `${name}-account`,
      requests: 30,
      windowSeconds: 60,
      by: ({ username }, clientAddress) => `${clientAddress} ${username}`,
      per: "account and client address",
    },
  ];
}

const perMinute = (name: string, requests: number): RateLimit => ({
  name,
  requests,
  windowSeconds: 60,
  by: "client",
});

export const bootstrapLimits = identityLimits("bootstrap");
export const loginLimits = identityLimits("login");
export const refreshLimit = perMinute("refresh", 120);
export const verifyLimit = perMinute("x402-verify", 1200);
export const settleLimit = perMinute("x402-settle", 1200);
export const paymentsLimit = perMinute("x402-payments", 120);
export const tipsReadLimit = perMinute("tips-read", 1200);
export const tipsLimit = perMinute("tips", 120);
/** Handshakes that were refused: a bad token costs a connection to Mattermost, which may take its time to cut it. */
export const handshakeLimit = perMinute("websocket-refusals", 300);
/** Every new chat user takes one of the places that Mattermost has. */
export const newPartnersLimit: RateLimit = {
  name: "new-partners",
  requests: 30,
  windowSeconds: 86_400,
  by: () => null,
  per: "user, for accounts that have no chat user yet",
};

/**
 * The same for all users together: a Mattermost without a licence takes 250 active users, and closes its doors to people
 * who sign in when others have filled it.
 */
export const newPartnersOverallLimit: RateLimit = {
  name: "new-partners-overall",
  requests: 60,
  windowSeconds: 86_400,
  by: () => null,
  per: "gateway, for accounts that have no chat user yet",
};

/** Pictures and pages of other servers: the gateway is nobody's proxy for more than a chat shows. */
export const picturesLimit: RateLimit = { name: "pictures", requests: 600, windowSeconds: 60, by: "person" };

/** Pictures of articles, for readers without a PAT. */
export const articlePicturesLimit = perMinute("article-pictures", 600);

/** Links looked behind for one person. */
export const previewsLimit: RateLimit = { name: "previews", requests: 300, windowSeconds: 60, by: "person" };

/** Files that one person reads. */
export const filesLimit: RateLimit = { name: "files", requests: 600, windowSeconds: 60, by: "person" };
/** Pictures that one person sends. */
export const uploadsLimit: RateLimit = { name: "uploads", requests: 60, windowSeconds: 60, by: "person" };
/** The largest uploaded picture, in bytes. */
export const LARGEST_UPLOAD = 10 * 1024 * 1024;
/** Kinds of pictures that are taken. */
export const UPLOAD_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;
/** Maximum number of files in one post: Mattermost takes no more. */
export const MOST_FILES = 10;

/** How large the body of a post may be: 16,383 characters, each at most two escapes of six bytes, and the other fields. */
export const POST_BODY_BYTES = 200 * 1024;
/** The same of an edit, as servers may take longer posts. */
export const EDIT_BODY_BYTES = 800 * 1024;
/** How large a body with a refresh token may be. */
export const REFRESH_BODY_BYTES = 8192;
/** How long a challenge may be answered. */
export const CHALLENGE_SECONDS = 300;
/** How long an access token of ours is good. */
export const ACCESS_TOKEN_SECONDS = 900;
/** How long a login lasts without renewal. */
export const LOGIN_SECONDS = 30 * 86_400;
/** A shorter term finds no user and no channel. */
export const SHORTEST_TERM = 2;
export const MOST_USERS_FOUND = 20;
/** A Mattermost without a search engine finds no more, and gives all of it as its first page. */
export const MOST_POSTS_FOUND = 100;
/** Longest message to translate, in characters; translators charge for each. */
export const LONGEST_TRANSLATED = 5_000;
export const translationLimit: RateLimit = {
  name: "translations",
  requests: 60,
  windowSeconds: 60,
  by: "person",
};
/** A channel may have more; the latest are listed. */
export const MOST_PINNED = 200;
/** How many payments of an account are listed. */
export const MOST_PAYMENTS = 100;

/**
 * What a route does, takes and answers, declared once: the route, the document, the reference, the quotas and the types
 * are made from it.
 */
export type Operation = RequestRules & {
  summary: string;
  /** Markdown: what the fields alone don't tell. */
  description: string;
  /** The media types of a body that is a file, in place of JSON. */
  file?: readonly string[];
  /** The success: a JSON schema by name, the media type of what is no JSON, or a websocket. */
  answer: AnswerName | { mediaType: string } | { upgrade: "websocket" };
  /** Whether it carries an `ETag`, so that who has it already is told so. */
  isTagged?: true;
  /** Codes that are its own, beside those every operation of its kind has. */
  failures?: readonly ErrorCode[];
  /** Failures by status whose body is not the common one. */
  failureAnswers?: Readonly<Partial<Record<number, AnswerName>>>;
};

type Method = "get" | "post" | "patch" | "delete";

/** Operations by path template and method. */
export type Operations = Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
