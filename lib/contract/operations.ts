import { channelOperations } from "./channel-operations.ts";
import { chatOperations } from "./chat-operations.ts";
import {
  ACCESS_TOKEN_SECONDS,
  CHALLENGE_SECONDS,
  LOGIN_SECONDS,
  loginLimits,
  type Operations,
  REFRESH_BODY_BYTES,
  refreshLimit,
} from "./limits.ts";
import { ChallengeRequest, LoginRequest, RefreshRequest } from "./login.ts";
import { mediaOperations } from "./media-operations.ts";
import { paymentOperations } from "./payment-operations.ts";

const authOperations = {
  "/api/auth/challenge": {
    post: {
      summary: "A text to sign with the posting key",
      description: [
        `\`message\` names this site, the account, its purpose and its end, and is good once, for ${CHALLENGE_SECONDS / 60} minutes and for this account alone; it opens nothing but a login here. To sign it:`,
        "1. Take the SHA-256 of exactly its UTF-8 bytes: don't parse it and write it out again.\n2. Sign that digest with the account's posting key (secp256k1, recoverable, compressed).\n3. Send the 65 bytes as 130 lower-case hex digits to `POST /api/auth/login`.",
        'With dhive: `key.sign(cryptoUtils.sha256(message)).toString()`. Hive Keychain\'s `requestSignBuffer(account, message, "Posting")` gives the same.',
      ].join("\n\n"),
      auth: "none",
      body: ChallengeRequest,
      limits: loginLimits,
      answer: "Challenge",
      failures: ["auth_unavailable", "degraded"],
    },
  },
  "/api/auth/login": {
    post: {
      summary: "Tokens and session cookie for a signed challenge",
      description: `The access token lasts ${ACCESS_TOKEN_SECONDS / 60} minutes, the login ${LOGIN_SECONDS / 86_400} days from its last renewal. One posting key must be enough for the account by itself.`,
      auth: "none",
      body: LoginRequest,
      limits: loginLimits,
      answer: "Tokens",
      failures: ["unauthorized", "challenge_expired", "auth_unavailable", "degraded"],
    },
  },
  "/api/auth/refresh": {
    post: {
      summary: "New tokens for a refresh token or the session cookie",
      description:
        "A refresh token is good once: one that comes a second time ends its login. The body is left out where the cookie stands for it.",
      auth: "none",
      body: RefreshRequest,
      isBodyOptional: true,
      bodyBytes: REFRESH_BODY_BYTES,
      limits: [refreshLimit],
      answer: "RenewedTokens",
      failures: ["unauthorized", "forbidden", "auth_unavailable", "degraded"],
    },
  },
  "/api/auth/logout": {
    post: {
      summary: "Ends the session",
      description: "Of the refresh token, of the cookie, or of both; without either it does nothing.",
      auth: "none",
      body: RefreshRequest,
      isBodyOptional: true,
      bodyBytes: REFRESH_BODY_BYTES,
      answer: "Done",
      failures: ["forbidden", "auth_unavailable", "degraded"],
    },
  },
  "/api/auth/session": {
    get: {
      summary: "Whose session the cookie is",
      description: "401 where there is none, or where it is over.",
      auth: "none",
      answer: "Session",
      failures: ["unauthorized", "auth_unavailable", "degraded"],
    },
  },
  "/.well-known/jwks.json": {
    get: {
      summary: "Public keys of the issued tokens",
      description: "For services of your own that take this gateway's access tokens (EdDSA).",
      auth: "none",
      cache: "public, max-age=300",
      answer: "Keys",
      failures: ["auth_unavailable", "degraded"],
    },
  },
} satisfies Operations;

const serverOperations = {
  "/api/health/live": {
    get: {
      summary: "The process runs",
      description: "Asks nothing of anybody: for a supervisor.",
      auth: "none",
      answer: "Alive",
    },
  },
  "/api/health/ready": {
    get: {
      summary: "Mattermost, chain and store answer",
      description:
        "For a load balancer. `degraded` (200): the chain is away, and whoever is signed in can chat. `unavailable` and `draining` are 503.",
      auth: "none",
      answer: "Readiness",
      failureAnswers: { 503: "Readiness" },
    },
  },
  "/api/metrics": {
    get: {
      summary: "Metrics for Prometheus; needs METRICS_TOKEN",
      description: "The operator's own token, not a PAT. 404 where the operator set none.",
      auth: "metrics",
      answer: { mediaType: "text/plain" },
      failures: ["unauthorized", "not_found"],
    },
  },
  "/api/sandbox": {
    get: {
      summary: "Accounts of the sandbox with what they own now, and its addresses",
      description: "With all keys, which are public and worth nothing elsewhere. 404 on live settings.",
      auth: "none",
      answer: "Sandbox",
      failures: ["not_found"],
    },
  },
  "/api/openapi.json": {
    get: {
      summary: "This document",
      description: "OpenAPI 3.1, made from the schemas that check the requests.",
      auth: "none",
      cache: "public, max-age=300",
      answer: { mediaType: "application/json" },
    },
  },
} satisfies Operations;

/** Every operation by path template and method. */
export const operations = {
  ...chatOperations,
  ...channelOperations,
  ...mediaOperations,
  ...authOperations,
  ...paymentOperations,
  ...serverOperations,
} satisfies Operations;

/** Groups of operations: the segment of their paths, their title, and their common description. */
export const tags = [
  {
    name: "chat",
    title: "Chat",
    description: "Channels, messages and people. Begin with `POST /api/chat/bootstrap`.",
  },
  { name: "auth", title: "Sign-in", description: "Proof of an account of the chain, by its posting key." },
  { name: "jwks.json", title: "Keys", description: "The keys of the tokens that sign-in gives." },
  { name: "x402", title: "Payments (x402)", description: "The facilitator, which any seller may use." },
  {
    name: "demo",
    title: "Articles and tips",
    description: "A shop behind the same paywall that sellers use.",
  },
  { name: "health", title: "Health", description: "For supervisors and load balancers." },
  { name: "metrics", title: "Metrics", description: "For Prometheus." },
  { name: "sandbox", title: "Sandbox", description: "Only where the server runs on its sandbox." },
  { name: "openapi.json", title: "This document", description: "For tools." },
] as const;
