import { isAccountName } from "./account-name.ts";
import { signText } from "./private-key.ts";

export type AccessTokenOptions = {
  username: string;
  /** The private posting key in WIF. */
  postingKey: string | undefined;
  /** One of the gateway's `CHAT_APP_IDS`, by default the host of its `PUBLIC_URL`, such as "chat.example.com". */
  app: string;
  /** Seconds since 1970; now by default. The gateway accepts the token for a while afterwards. */
  timestamp?: number;
};

/**
 * Signs an access token for bootstrap with an account's posting key. No error and no token contains the key.
 * @throws TypeError for an invalid account name or key
 * @example const login = async () => ({ username: "alice", accessToken: signAccessToken({ username: "alice", postingKey, app: "chat.example.com" }) });
 */
export function signAccessToken({
  username,
  postingKey,
  app,
  timestamp = Math.floor(Date.now() / 1000),
}: AccessTokenOptions): string {
  if (!isAccountName(username)) throw new TypeError("username must be a chain account name");
  const content = { signed_message: { type: "code", app }, authors: [username], timestamp };
  const signature = sign(JSON.stringify(content), postingKey);
  const bytes = new TextEncoder().encode(JSON.stringify({ ...content, signatures: [signature] }));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Creates the `login` of a chat client that signs the gateway's challenges with an account's posting key. The client
 * first checks that a challenge comes from its gateway and is for this account.
 * @throws TypeError for an invalid account name or key
 * @example createChatClient({ baseUrl, login: signWithPostingKey({ username: "alice", postingKey }) });
 */
export function signWithPostingKey({
  username,
  postingKey,
}: Pick<AccessTokenOptions, "username" | "postingKey">): {
  username: string;
  sign: (message: string) => string;
} {
  if (!isAccountName(username)) throw new TypeError("username must be a chain account name");
  sign("", postingKey);
  return { username, sign: (message) => sign(message, postingKey) };
}

function sign(text: string, postingKey: string | undefined): string {
  const signature = typeof postingKey === "string" ? signText(text, postingKey) : null;
  if (signature === null) throw new TypeError("postingKey must be a private key in WIF");
  return signature;
}
