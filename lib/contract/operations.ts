import type { ZodType } from "zod";
import { PaymentRequest } from "../x402/facilitator/read-request.ts";
import type { AnswerName } from "./answers.ts";
import {
  BootstrapRequest,
  ChallengeRequest,
  ChannelSearchRequest,
  DirectRequest,
  FavoriteRequest,
  LoginRequest,
  MuteRequest,
  NewPostRequest,
  PaymentsQuery,
  PostEditRequest,
  PostSearchRequest,
  PostsQuery,
  ReactionRequest,
  RefreshRequest,
  TipQuery,
  TipsQuery,
  UserSearchQuery,
  WebsocketQuery,
} from "./requests.ts";

export type Operation = {
  summary: string;
  /** `none` where no PAT is needed. */
  auth?: "none";
  body?: ZodType;
  query?: ZodType;
  /** The success: a JSON schema by name, the media type of what is no JSON, or a websocket. */
  answer: AnswerName | { mediaType: string } | { upgrade: "websocket" };
  /** Whether it carries an `ETag`, so that who has it already is told so. */
  isTagged?: true;
  /** Further statuses than those every operation of its kind has. */
  failures?: readonly number[];
  /** Failures whose body is not the common one. */
  failureAnswers?: Readonly<Partial<Record<number, AnswerName>>>;
};

type Method = "get" | "post" | "patch" | "delete";

const image = { mediaType: "image/*" };
const text = { mediaType: "text/plain" };
const json = { mediaType: "application/json" };

/** A facilitator refuses in the protocol's own shape, quotas excepted. */
const refusedBy = (answer: AnswerName) => ({ 400: answer, 413: answer, 415: answer, 503: answer });

/** Every operation by path template and method. */
export const operations: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>> = {
  "/api/chat/bootstrap": {
    post: {
      summary:
        "Turns an access token of a chain account into a chat user and its token (PAT), and sets the cookie",
      auth: "none",
      body: BootstrapRequest,
      answer: "Bootstrap",
      failures: [401, 403, 404, 409, 503],
    },
  },
  "/api/chat/logout": { post: { summary: "Revokes the PAT, closes its user's websockets", answer: "Done" } },
  "/api/chat/me": { get: { summary: "The caller", answer: "Me" } },
  "/api/chat/channels": { get: { summary: "The caller's channels", answer: "Channels" } },
  "/api/chat/channels/unreads": { get: { summary: "What is new, by channel and in sum", answer: "Unreads" } },
  "/api/chat/channels/search": {
    post: { summary: "Channels by name", body: ChannelSearchRequest, answer: "FoundChannels" },
  },
  "/api/chat/channels/{channelId}/join": { post: { summary: "Joins a public channel", answer: "Done" } },
  "/api/chat/channels/{channelId}/leave": { post: { summary: "Leaves a channel", answer: "Done" } },
  "/api/chat/channels/{channelId}/favorite": {
    post: { summary: "Sets or clears the favourite flag", body: FavoriteRequest, answer: "Done" },
  },
  "/api/chat/channels/{channelId}/mute": {
    post: { summary: "Mutes (mentions only) or unmutes", body: MuteRequest, answer: "Done" },
  },
  "/api/chat/channels/{channelId}/view": { post: { summary: "Marks all as read", answer: "Done" } },
  "/api/chat/channels/{channelId}/posts": {
    get: {
      summary: "A page of posts with users, membership and rights",
      query: PostsQuery,
      answer: "PostsPage",
    },
    post: {
      summary: "Writes a post or a reply",
      body: NewPostRequest,
      answer: "OnePost",
      failures: [409],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}": {
    patch: { summary: "Changes the text of one's own post", body: PostEditRequest, answer: "OnePost" },
    delete: { summary: "Deletes one's own post, or as a moderator of the community any", answer: "Done" },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/reactions": {
    post: {
      summary: "Adds or removes a reaction",
      body: ReactionRequest,
      answer: "Done",
      failures: [409],
    },
  },
  "/api/chat/search/posts": {
    post: { summary: "Messages in the caller's channels", body: PostSearchRequest, answer: "FoundPosts" },
  },
  "/api/chat/direct": {
    post: {
      summary: "Opens the direct channel with a chain account",
      body: DirectRequest,
      answer: "Direct",
      failures: [409],
    },
  },
  "/api/chat/users/search": {
    get: { summary: "Users by username or full name", query: UserSearchQuery, answer: "Users" },
  },
  "/api/chat/users/{userId}/image": {
    get: { summary: "A profile image", auth: "none", answer: image, isTagged: true, failures: [404] },
  },
  "/api/chat/websocket": {
    get: {
      summary: "Upgrades to the backend's event stream, from `hello` on",
      query: WebsocketQuery,
      answer: { upgrade: "websocket" },
      failures: [429],
    },
  },
  "/api/auth/challenge": {
    post: {
      summary: "A text to sign with the posting key",
      auth: "none",
      body: ChallengeRequest,
      answer: "Challenge",
      failures: [503],
    },
  },
  "/api/auth/login": {
    post: {
      summary: "Tokens and session cookie for a signed challenge",
      auth: "none",
      body: LoginRequest,
      answer: "Tokens",
      failures: [401, 503],
    },
  },
  "/api/auth/refresh": {
    post: {
      summary: "New tokens for a refresh token or the session cookie",
      auth: "none",
      body: RefreshRequest,
      answer: "RenewedTokens",
      failures: [401, 403, 503],
    },
  },
  "/api/auth/logout": {
    post: {
      summary: "Ends the session",
      auth: "none",
      body: RefreshRequest,
      answer: "Done",
      failures: [403, 503],
    },
  },
  "/api/auth/session": {
    get: { summary: "Whose session the cookie is", auth: "none", answer: "Session", failures: [401, 503] },
  },
  "/.well-known/jwks.json": {
    get: { summary: "Public keys of the issued tokens", auth: "none", answer: "Keys", failures: [503] },
  },
  "/api/x402/verify": {
    post: {
      summary: "Checks a signed payment without putting it on the chain",
      auth: "none",
      body: PaymentRequest,
      answer: "VerifyResponse",
      failureAnswers: refusedBy("VerifyFailure"),
    },
  },
  "/api/x402/settle": {
    post: {
      summary: "Puts a signed payment on the chain, once",
      auth: "none",
      body: PaymentRequest,
      answer: "SettleResponse",
      failureAnswers: refusedBy("SettleFailure"),
    },
  },
  "/api/x402/supported": { get: { summary: "What can be paid with", auth: "none", answer: "Supported" } },
  "/api/x402/health": {
    get: {
      summary: "Whether payments can be settled",
      auth: "none",
      answer: "FacilitatorHealth",
      failureAnswers: { 503: "FacilitatorHealth" },
    },
  },
  "/api/x402/payments": {
    get: {
      summary: "What an account paid and earned for x402 resources, newest first, and its balance",
      auth: "none",
      query: PaymentsQuery,
      answer: "Payments",
      failures: [404, 429, 503],
    },
  },
  "/api/demo/tips": {
    get: {
      summary: "How often and how much messages were tipped",
      auth: "none",
      query: TipsQuery,
      answer: json,
      failures: [429, 503],
    },
    post: {
      summary:
        "Tips somebody, for the message `post`, which the caller's chat token must be able to read, or as a person, with the payment in `x-payment`",
      auth: "none",
      query: TipQuery,
      answer: json,
      failures: [401, 402, 403, 404, 429, 502, 503, 504],
    },
  },
  "/api/demo/articles": { get: { summary: "The articles for sale", auth: "none", answer: json } },
  "/api/demo/articles/{slug}": {
    get: {
      summary: "An article, for 0.050 HBD in `x-payment`",
      auth: "none",
      answer: json,
      failures: [402, 404, 503],
    },
  },
  "/api/health/live": { get: { summary: "The process runs", auth: "none", answer: "Alive" } },
  "/api/health/ready": {
    get: {
      summary: "Backend, chain and store answer",
      auth: "none",
      answer: "Readiness",
      failureAnswers: { 503: "Readiness" },
    },
  },
  "/api/metrics": {
    get: { summary: "Metrics for Prometheus; needs METRICS_TOKEN", answer: text, failures: [401, 404] },
  },
  "/api/sandbox": {
    get: {
      summary: "Accounts of the sandbox with what they own now, and its addresses",
      auth: "none",
      answer: "Sandbox",
      failures: [404],
    },
  },
  "/api/openapi.json": { get: { summary: "This document", auth: "none", answer: json } },
};
