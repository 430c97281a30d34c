import {
  ACCESS_TOKEN_SECONDS,
  CHALLENGE_SECONDS,
  LOGIN_SECONDS,
  loginLimits,
  REFRESH_BODY_BYTES,
  refreshLimit,
} from "./limits.ts";
import type { Operations } from "./operation.ts";
import { ChallengeRequest, LoginRequest, RefreshRequest } from "./requests.ts";

export const authOperations: Operations = {
  "/api/auth/challenge": {
    post: {
      summary: "A text to sign with the posting key",
      description: [
        `\`message\` is good once, for ${CHALLENGE_SECONDS / 60} minutes and for this account alone. To sign it:`,
        "1. Take the SHA-256 of exactly its UTF-8 bytes: don't parse it, don't write it anew.\n2. Sign that digest with the account's posting key (secp256k1, recoverable, compressed).\n3. Send the 65 bytes as 130 lower-case hex digits to `POST /api/auth/login`.",
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
      failures: ["unauthorized", "auth_unavailable", "degraded"],
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
      answer: "Keys",
      failures: ["auth_unavailable", "degraded"],
    },
  },
};
