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
  WALLET_CODE_BYTES,
  WALLET_END_BYTES,
  walletEndLimit,
  walletLimit,
} from "./limits.ts";
import {
  ChallengeRequest,
  HivesignerCallback,
  LONGEST_WAIT_SECONDS,
  LoginRequest,
  RefreshRequest,
  WalletCallback,
  WalletCode,
  WalletEndRequest,
  WalletSessionRequest,
  WalletSignature,
} from "./login.ts";
import { mediaOperations } from "./media-operations.ts";
import { paymentOperations } from "./payment-operations.ts";

const walletFailures = ["unauthorized", "challenge_expired", "auth_unavailable", "degraded"] as const;

const authOperations = {
  "/api/auth/challenge": {
    post: {
      summary: "Creates a text to sign with the posting key",
      description: [
        `\`message\` contains this site, the account, its purpose and its expiry. It is valid once, for ${CHALLENGE_SECONDS / 60} minutes and for this account, and only for a login here. To sign it:`,
        "1. Take the SHA-256 of exactly its UTF-8 bytes; don't parse and serialize it first.\n2. Sign that digest with the account's posting key (secp256k1, recoverable, compressed).\n3. Send the 65 bytes as 130 lower-case hex digits to `POST /api/auth/login`.",
        "With `via`, a wallet on a phone signs instead: `message` then says that it signs another browser in, and is sent to `POST /api/auth/wallet/{id}`.",
        'With dhive: `key.sign(cryptoUtils.sha256(message)).toString()`. Hive Keychain\'s `requestSignBuffer(account, message, "Posting")` returns the same.',
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
      summary: "Issues tokens and the session cookie for a signed challenge",
      description: `The access token lasts ${ACCESS_TOKEN_SECONDS / 60} minutes, the login ${LOGIN_SECONDS / 86_400} days from its last renewal. A single posting key must meet the account's threshold.`,
      auth: "none",
      body: LoginRequest,
      limits: loginLimits,
      answer: "Tokens",
      failures: ["unauthorized", "challenge_expired", "auth_unavailable", "degraded"],
    },
  },
  "/api/auth/wallet/{id}": {
    get: {
      summary: "Takes a wallet's signature or code, and shows its owner what it signed in",
      description: [
        "The callback of a wallet that opens an address in the phone's browser. The page names the account and the browser that asked, and has a button that ends the sign-in. It gets no session itself. The same signature again shows the page again; any other is refused.",
        "With the `code` of Ecency Mobile, the browser that asked is signed in at once; any other shows its owner which browser asks, with a button that sends the code by `POST /api/auth/wallet/{id}/code`. Without both, the browser that asked gets the page again.",
      ].join("\n\n"),
      auth: "none",
      query: WalletCallback,
      limits: [walletLimit],
      answer: { mediaType: "text/html" },
      failures: walletFailures,
    },
    post: {
      summary: "Takes a wallet's signature",
      description:
        "The callback for wallets and programs that send JSON. The page that asked gets the session by `POST /api/auth/wallet/{id}/session`.",
      auth: "none",
      body: WalletSignature,
      limits: [walletLimit],
      answer: "SignedByWallet",
      failures: walletFailures,
    },
  },
  "/api/auth/wallet/{id}/code": {
    post: {
      summary: "Signs in the browser that asked, by a code of Ecency Mobile",
      description:
        "Sent by the page that asks the wallet's owner first, because the code does not name the browser that asked. The page sends a form and gets a page; programs send JSON.",
      auth: "none",
      body: WalletCode,
      hasOwnBodyCheck: true,
      bodyBytes: WALLET_CODE_BYTES,
      limits: [walletLimit],
      answer: "SignedByWallet",
      failures: walletFailures,
    },
  },
  "/api/auth/hivesigner": {
    get: {
      summary: "Takes HiveSigner's code in the browser that asked",
      description:
        "The redirect address of the app `HIVESIGNER_APP`; 404 without that setting. `state` is the `id` of a challenge with `via`, whose cookie the browser must send. The page is that of `GET /api/auth/wallet/{id}`, and the page that asked gets the session.",
      auth: "none",
      query: HivesignerCallback,
      limits: [walletLimit],
      answer: { mediaType: "text/html" },
      failures: [...walletFailures, "not_found"],
    },
  },
  "/api/auth/wallet/{id}/session": {
    post: {
      summary: "Waits for the wallet's signature, then issues tokens and the session cookie",
      description: `Answers \`waiting\` after up to ${LONGEST_WAIT_SECONDS} seconds without a signature: send it again. A lost answer can be asked for again until the challenge expires.`,
      auth: "none",
      body: WalletSessionRequest,
      limits: [walletLimit],
      answer: "WalletSession",
      failures: walletFailures,
    },
  },
  "/api/auth/wallet/{id}/end": {
    post: {
      summary: "Ends a sign-in that the wallet's owner did not ask for",
      description:
        "Ends its login session, chat token and websockets for good. The callback's page sends a form and gets a page; programs send JSON.",
      auth: "none",
      body: WalletEndRequest,
      hasOwnBodyCheck: true,
      bodyBytes: WALLET_END_BYTES,
      limits: [walletEndLimit],
      answer: "Done",
      failures: [...walletFailures, "backend_unreachable", "overloaded", "backend_timeout"],
    },
  },
  "/api/auth/refresh": {
    post: {
      summary: "Issues new tokens for a refresh token or the session cookie",
      description:
        "A refresh token works once; using it a second time ends its login. Omit the body to use the cookie.",
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
      summary: "Ends the login session",
      description:
        "Ends the login session of the refresh token, of the cookie, or of both. Does nothing without either.",
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
      summary: "Returns the account of the session cookie",
      description: "401 if there is no cookie, or if its login session has ended.",
      auth: "none",
      answer: "Session",
      failures: ["unauthorized", "auth_unavailable", "degraded"],
    },
  },
  "/.well-known/jwks.json": {
    get: {
      summary: "Returns the public keys of issued tokens",
      description: "For your own services that accept this gateway's access tokens (EdDSA).",
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
      summary: "Reports that the process is running",
      description: "For supervisors. Checks nothing else.",
      auth: "none",
      answer: "Alive",
    },
  },
  "/api/health/ready": {
    get: {
      summary: "Reports whether Mattermost, chain and store answer",
      description:
        "For load balancers. `degraded` (200) means that the chain is unavailable, while signed-in users can chat. `unavailable` and `draining` are 503.",
      auth: "none",
      answer: "Readiness",
      failureAnswers: { 503: "Readiness" },
    },
  },
  "/api/metrics": {
    get: {
      summary: "Returns metrics for Prometheus; needs METRICS_TOKEN",
      description: "Requires the operator's token, not a PAT. 404 if none is set.",
      auth: "metrics",
      answer: { mediaType: "text/plain" },
      failures: ["unauthorized", "not_found"],
    },
  },
  "/api/sandbox": {
    get: {
      summary: "Lists the sandbox's accounts with their balances, and its addresses",
      description: "Includes all keys, which are public and worthless elsewhere. 404 outside the sandbox.",
      auth: "none",
      answer: "Sandbox",
      failures: ["not_found"],
    },
  },
  "/api/openapi.json": {
    get: {
      summary: "Returns this document",
      description: "OpenAPI 3.1, generated from the schemas that validate requests.",
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
  { name: "auth", title: "Sign-in", description: "Proves a chain account by its posting key." },
  { name: "jwks.json", title: "Keys", description: "Public keys of the tokens that sign-in issues." },
  {
    name: "x402",
    title: "Payments (x402)",
    description: "A facilitator that any seller may use, and its catalogue of sold resources.",
  },
  {
    name: "did.json",
    title: "Signing key",
    description: "The public key of the offers and receipts that the paywalls sign.",
  },
  {
    name: "demo",
    title: "Articles and tips",
    description: "A shop behind the same paywall that sellers use.",
  },
  { name: "health", title: "Health", description: "For supervisors and load balancers." },
  { name: "metrics", title: "Metrics", description: "For Prometheus." },
  { name: "sandbox", title: "Sandbox", description: "Only if the server runs on its sandbox." },
  { name: "openapi.json", title: "This document", description: "For tools." },
] as const;
