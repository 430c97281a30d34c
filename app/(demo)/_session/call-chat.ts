import { ApiError, callApi } from "./api.ts";
import { renewChat } from "./renew-chat.ts";

/** Calls a chat route; a chat token that is gone is renewed once and the call repeated. */
export async function callChat<T>(path: string, options: Parameters<typeof callApi>[1] = {}): Promise<T> {
  try {
    return await callApi<T>(`/api/chat${path}`, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    await renewChat();
    return callApi<T>(`/api/chat${path}`, options);
  }
}
