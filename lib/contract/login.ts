import { z } from "zod";
import { about, account, isoTime, text } from "./examples.ts";

/** Maximum wait for a wallet's signature in one request. */
export const LONGEST_WAIT_SECONDS = 25;

const Named = z.object({ username: account });

export const ChallengeRequest = Named.extend({
  via: z
    .literal("link")
    .optional()
    .describe(
      "for a wallet that answers by a callback, such as one on a phone; see `POST /api/auth/wallet/{id}`",
    ),
});

export const LoginRequest = Named.extend({
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

const walletSignature = about(
  z.string().max(256),
  "the wallet's signature of the message, as 130 lower-case hex digits",
  "1f".padEnd(130, "5"),
);

export const WalletSignature = z.object({ signature: walletSignature });

const walletCode = about(
  z.string().max(4096),
  "the account's code, in the form of an access token",
  "eyJzaWduZWRfbWVzc2FnZSI6…",
);
const walletError = z
  .string()
  .max(256)
  .optional()
  .describe("present if the wallet's owner has signed nothing");

export const WalletCallback = z.object({
  signature: walletSignature.optional(),
  code: walletCode.optional(),
  error: walletError,
});

export const WalletCode = z.object({ code: walletCode });

export const HivesignerCallback = z.object({
  code: walletCode.optional(),
  state: about(z.string().max(512), "`id` of the challenge", "WyJhbGljZSIs….Zm9v"),
  error: walletError,
});

const walletSecret = (description: string) => about(z.string().max(64), description, "T2ZmZW4…");

export const WalletSessionRequest = z.object({
  secret: walletSecret("`secret` of the challenge"),
  waitSeconds: about(
    z.number().min(0).max(LONGEST_WAIT_SECONDS).default(LONGEST_WAIT_SECONDS),
    "seconds to wait for the wallet's signature",
    LONGEST_WAIT_SECONDS,
  ),
});

export const WalletEndRequest = z.object({ endToken: walletSecret("`endToken` of the wallet's answer") });

const token = text("eyJhbGciOiJFZERTQSJ9.…");

export const Challenge = z.object({
  message: text(
    '{"signed_message":{"type":"login","app":"chat.example.com",…},"authors":["alice"],"timestamp":1767225600}',
    "the text to sign",
  ),
  expiresAt: isoTime,
});

export const WalletChallenge = Challenge.extend({
  id: text("WyJhbGljZSIs….Zm9v", "the id in the address of the wallet's callback"),
  secret: text("T2ZmZW4…", "gets the session once the wallet has signed; never part of a link"),
});

const device = { program: text("Firefox", "empty if unknown"), system: text("Linux", "empty if unknown") };

export const SignedByWallet = z.object({
  username: text("alice"),
  asker: z
    .object({
      ...device,
      address: text("203.0.113.7", "empty if unknown"),
      site: text(
        "app.example.net",
        "host of the page that asked, `?` if unknown, empty for the gateway's own",
      ),
    })
    .describe("the browser that asked, which gets the session"),
  endToken: text("T2ZmZW4…", "ends the sign-in with `POST /api/auth/wallet/{id}/end`"),
  isEnded: z.boolean().meta({ examples: [false] }),
});

export const SignedIn = z.object({ username: text("alice") });

export const Tokens = z.object({ accessToken: token, refreshToken: token, expiresAt: isoTime });

export const RenewedTokens = Tokens.extend({
  refreshToken: token
    .optional()
    .describe("present if the request contained one; the cookie then stays unchanged"),
});

export const WalletSession = z.union([
  Tokens.extend({ state: z.literal("signed_in"), username: text("alice") }),
  z.object({ state: z.literal("waiting") }),
]);

export type LoginRequest = z.infer<typeof LoginRequest>;
export type RefreshRequest = z.infer<typeof RefreshRequest>;
export type Challenge = z.infer<typeof Challenge>;
export type WalletChallenge = z.infer<typeof WalletChallenge>;
export type SignedIn = z.infer<typeof SignedIn>;
export type Tokens = z.infer<typeof Tokens>;
export type RenewedTokens = z.infer<typeof RenewedTokens>;
export type SignedByWallet = z.infer<typeof SignedByWallet>;
export type WalletSession = z.infer<typeof WalletSession>;
