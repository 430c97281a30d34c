import { z } from "zod";
import { about, account, isoTime, text } from "./examples.ts";

export const ChallengeRequest = z.object({ username: account });

export const LoginRequest = ChallengeRequest.extend({
  message: about(z.string().max(1024), "`message` of the challenge, byte for byte", '{"signed_message":…}'),
  signature: about(
    z.string().max(256),
    "130 lower-case hex digits: recovery byte (31 to 34), r, s; s at most half the curve's order",
    "1f".padEnd(130, "5"),
  ),
});

export const RefreshRequest = z.object({
  refreshToken: about(
    z.string().max(4096).nullish(),
    "omit it to use the session cookie instead",
    "eyJhbGciOi…",
  ),
});

const token = text("eyJhbGciOiJFZERTQSJ9.…");

export const Challenge = z.object({
  message: text(
    '{"signed_message":{"type":"login","app":"chat.example.com",…},"authors":["alice"],"timestamp":1767225600}',
    "the text to sign",
  ),
  expiresAt: isoTime,
});

export const SignedIn = z.object({ username: text("alice") });

export const Tokens = z.object({ accessToken: token, refreshToken: token, expiresAt: isoTime });

export const RenewedTokens = Tokens.extend({
  refreshToken: token
    .optional()
    .describe("present if the request contained one; the cookie then stays unchanged"),
});

export type LoginRequest = z.infer<typeof LoginRequest>;
export type RefreshRequest = z.infer<typeof RefreshRequest>;
export type Challenge = z.infer<typeof Challenge>;
export type SignedIn = z.infer<typeof SignedIn>;
export type Tokens = z.infer<typeof Tokens>;
export type RenewedTokens = z.infer<typeof RenewedTokens>;
