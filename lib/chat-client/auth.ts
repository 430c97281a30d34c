import type { Challenge, RenewedTokens, SignedIn, Tokens } from "../contract/answers.ts";
import type { CallOptions, Request } from "./request.ts";

/** Creates the methods of the gateway's own login; who brings access tokens of another issuer needs none of them. */
export function createAuth(request: Request) {
  const post = <T>(path: string, body: unknown, given?: CallOptions) =>
    request<T>(`/api/auth/${path}`, { ...given, method: "POST", body });
  return {
    /** A text for the account to sign with its posting key. @throws ChatError */
    challenge: (username: string, given?: CallOptions) => post<Challenge>("challenge", { username }, given),
    /** Gives an access token for the signed text, and in a page the session's cookie. @throws ChatError `unauthorized` */
    login: (proof: { username: string; message: string; signature: string }, given?: CallOptions) =>
      post<Tokens>("login", proof, given),
    /** A new access token, by the session's cookie or a refresh token. @throws ChatError `unauthorized` */
    refresh: (refreshToken?: string, given?: CallOptions) =>
      post<RenewedTokens>("refresh", { refreshToken }, given),
    /** Who the session's cookie belongs to. @throws ChatError `unauthorized` */
    session: (given?: CallOptions) => request<SignedIn>("/api/auth/session", given),
    /** Ends the session and its refresh token. @throws ChatError */
    logout: (given?: CallOptions) => request<{ ok: true }>("/api/auth/logout", { ...given, method: "POST" }),
  };
}

export type Auth = ReturnType<typeof createAuth>;
