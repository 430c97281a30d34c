import { expect } from "vitest";
import { checkAnswer } from "./check-answer.ts";
import { postingKey, signText } from "./form-access-token.ts";

export type AuthAnswer = { status: number; body: Record<string, string>; cookie: string; headers: Headers };

/**
 * Creates a client of a gateway's login routes, as alice's browser uses them. The gateway's address may
 * change between calls.
 */
export function createAuthClient(urlOf: () => string) {
  const send = async (
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<AuthAnswer> => {
    const response = await fetch(urlOf() + path, {
      method,
      headers: {
        ...(options.body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const [line = ""] = response.headers.getSetCookie();
    const body = (await response.json().catch(() => ({}))) as Record<string, string>;
    checkAnswer(method, urlOf() + path, response.status, body);
    return { status: response.status, body, cookie: line, headers: response.headers };
  };
  const cookieOf = ({ cookie }: AuthAnswer) => ({ cookie: cookie.split(";")[0] ?? "" });
  const sameSite = { "sec-fetch-site": "same-origin" };

  const challenge = async (username = "alice") =>
    (await send("POST", "/api/auth/challenge", { body: { username } })).body.message ?? "";
  const answer = (message: string, key = postingKey("alice"), username = "alice") =>
    send("POST", "/api/auth/login", { body: { username, message, signature: signText(message, key) } });
  const login = async () => {
    const answered = await answer(await challenge());
    expect(answered.status).toBe(200);
    return answered;
  };
  const refresh = (refreshToken: string | undefined) =>
    send("POST", "/api/auth/refresh", { body: { refreshToken } });
  const askWallet = async (username = "alice", headers: Record<string, string> = {}) => {
    const asked = await send("POST", "/api/auth/challenge", { headers, body: { username, via: "link" } });
    const { id, message, secret, expiresAt } = asked.body as Record<
      "id" | "message" | "secret" | "expiresAt",
      string
    >;
    return { id, message, secret, expiresAt, ...cookieOf(asked) };
  };
  const signByWallet = ({ id, message }: { id: string; message: string }, key = postingKey("alice")) =>
    send("POST", `/api/auth/wallet/${id}`, { body: { signature: signText(message, key) } });
  const openByWallet = ({ id, secret }: { id: string; secret: string }, waitSeconds?: number) =>
    send("POST", `/api/auth/wallet/${id}/session`, { body: { secret, waitSeconds } });
  return {
    ...{ send, cookieOf, sameSite, challenge, answer, login, refresh },
    ...{ askWallet, signByWallet, openByWallet },
  };
}
