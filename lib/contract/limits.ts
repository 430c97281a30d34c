import type { ErrorCode } from "../errors.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { RequestRules } from "../http/request-rules.ts";
import type { AnswerName } from "./answers.ts";

/**
 * Quotas of a route that accepts credentials. The quota of an account is counted per client; otherwise anyone
 * could lock an account out by sending requests in its name.
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
export const walletLimit = perMinute("wallet", 120);
/** Quota of the ends of sign-ins, which no other request of the address uses up. */
export const walletEndLimit = perMinute("wallet-end", 60);
export const refreshLimit = perMinute("refresh", 120);
export const verifyLimit = perMinute("x402-verify", 1200);
export const settleLimit = perMinute("x402-settle", 1200);
export const paymentsLimit = perMinute("x402-payments", 120);
export const discoveryLimit = perMinute("x402-discovery", 300);
export const tipsReadLimit = perMinute("tips-read", 1200);
export const tipsLimit = perMinute("tips", 120);
/** Quota of refused handshakes: a bad token costs a connection, which Mattermost can take a while to cut. */
export const handshakeLimit = perMinute("websocket-refusals", 300);
/** Quota of new chat users, each of which takes one of Mattermost's limited places. */
export const newPartnersLimit: RateLimit = {
  name: "new-partners",
  requests: 30,
  windowSeconds: 86_400,
  by: () => null,
  per: "user, for accounts that have no chat user yet",
};

/**
 * The same quota for all users together: a Mattermost without a licence accepts 250 active users, and refuses
 * further sign-ins.
 */
export const newPartnersOverallLimit: RateLimit = {
  name: "new-partners-overall",
  requests: 60,
  windowSeconds: 86_400,
  by: () => null,
  per: "gateway, for accounts that have no chat user yet",
};

/** Quota of pictures and pages from other servers, so that no one can use the gateway as a general proxy. */
export const picturesLimit: RateLimit = { name: "pictures", requests: 600, windowSeconds: 60, by: "person" };

/** Quota of article pictures, for readers without a PAT. */
export const articlePicturesLimit = perMinute("article-pictures", 600);

/** Quota of link previews per person. */
export const previewsLimit: RateLimit = { name: "previews", requests: 300, windowSeconds: 60, by: "person" };

/** Quota of files that one person reads. */
export const filesLimit: RateLimit = { name: "files", requests: 600, windowSeconds: 60, by: "person" };
/** Quota of pictures that one person uploads. */
export const uploadsLimit: RateLimit = { name: "uploads", requests: 60, windowSeconds: 60, by: "person" };
/** The largest uploaded picture, in bytes. */
export const LARGEST_UPLOAD = 10 * 1024 * 1024;
/** Accepted picture types. */
export const UPLOAD_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;
/** Maximum number of files in one post, which is Mattermost's own limit. */
export const MOST_FILES = 10;

/**
 * Maximum body of a post: 16,383 characters, each of up to two escapes of six bytes, plus the other fields.
 */
export const POST_BODY_BYTES = 200 * 1024;
/** Maximum body of an edit, which is larger because some servers accept longer posts. */
export const EDIT_BODY_BYTES = 800 * 1024;
/** Maximum body with a refresh token. */
export const REFRESH_BODY_BYTES = 8192;
/** Maximum body that ends a wallet's sign-in. */
export const WALLET_END_BYTES = 1024;
/** Maximum body with a wallet's code, each of whose characters a form can escape. */
export const WALLET_CODE_BYTES = 16 * 1024;
/** Lifetime of a challenge. */
export const CHALLENGE_SECONDS = 300;
/** Lifetime of an access token issued here. */
export const ACCESS_TOKEN_SECONDS = 900;
/** Lifetime of a login without renewal. */
export const LOGIN_SECONDS = 30 * 86_400;
/** The minimum length of a search term; a shorter one finds no users or channels. */
export const SHORTEST_TERM = 2;
export const MOST_USERS_FOUND = 20;
/** Maximum number of results of a Mattermost without a search engine, which returns all of them as its first page. */
export const MOST_POSTS_FOUND = 100;
/** Maximum length of a message to translate, in characters; translators charge by the character. */
export const LONGEST_TRANSLATED = 5_000;
export const translationLimit: RateLimit = {
  name: "translations",
  requests: 60,
  windowSeconds: 60,
  by: "person",
};
/** Maximum pinned posts listed; the latest come first. */
export const MOST_PINNED = 200;
/** Maximum payments listed for an account. */
export const MOST_PAYMENTS = 100;

/** The price of a paid operation: one amount, or a range from which the caller chooses. */
export type Price = { amount: string } | { min: string; max: string };

/**
 * The single declaration of an operation's behaviour, input and output, from which the route, the OpenAPI
 * document, the reference, the quotas and the types derive.
 */
export type Operation = RequestRules & {
  summary: string;
  /** Markdown that says what the fields alone do not. */
  description: string;
  /** The price of an operation behind a paywall, in HBD. */
  price?: Price;
  /** The media types of a body that is a file instead of JSON. */
  file?: readonly string[];
  /** The successful answer: the name of a JSON schema, a media type other than JSON, or a websocket. */
  answer: AnswerName | { mediaType: string } | { upgrade: "websocket" };
  /** True if the answer carries an `ETag` and supports conditional requests. */
  isTagged?: true;
  /** Error codes in addition to those of every operation of its kind. */
  failures?: readonly ErrorCode[];
  /** Failures by status whose body differs from the common one. */
  failureAnswers?: Readonly<Partial<Record<number, AnswerName>>>;
};

type Method = "get" | "post" | "patch" | "delete";

/** Operations by path template and method. */
export type Operations = Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
