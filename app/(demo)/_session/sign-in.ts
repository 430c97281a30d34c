import { callApi } from "./api.ts";

/** Signs a text with the account's posting key and resolves to the signature in hex. */
export type SignMessage = (username: string, message: string) => Promise<string>;

export type SignInStep = "challenge" | "sign" | "login" | "bootstrap";

/**
 * Proves the account to the gateway and opens its chat; `onStep` tells what is going on.
 * @throws ApiError as the gateway answered, or what the signer threw.
 */
export async function signIn(
  username: string,
  sign: SignMessage,
  onStep: (step: SignInStep) => void,
): Promise<void> {
  onStep("challenge");
  const { message } = await callApi<{ message: string }>("/api/auth/challenge", {
    method: "POST",
    body: { username },
  });
  onStep("sign");
  const signature = await sign(username, message);
  onStep("login");
  const { accessToken } = await callApi<{ accessToken: string }>("/api/auth/login", {
    method: "POST",
    body: { username, message, signature },
  });
  onStep("bootstrap");
  await callApi("/api/chat/bootstrap", { method: "POST", body: { username, accessToken } });
}

/** Ends the chat token and the session; both are gone on the server afterwards. */
export async function signOut(): Promise<void> {
  await callApi("/api/chat/logout", { method: "POST" }).catch(() => undefined);
  await callApi("/api/auth/logout", { method: "POST" });
}
