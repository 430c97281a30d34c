import { callApi } from "./api.ts";

type Tokens = { accessToken: string };
type Session = { username: string };

let underway: Promise<void> | null = null;

/**
 * Gets a new chat token from the login session, once however many callers ask.
 * @throws ApiError 401 when the session is over too; the user signs in again then.
 */
export function renewChat(): Promise<void> {
  underway ??= (async () => {
    const [{ username }, { accessToken }] = await Promise.all([
      callApi<Session>("/api/auth/session"),
      callApi<Tokens>("/api/auth/refresh", { method: "POST", body: {} }),
    ]);
    await callApi("/api/chat/bootstrap", { method: "POST", body: { username, accessToken } });
  })().finally(() => {
    underway = null;
  });
  return underway;
}
