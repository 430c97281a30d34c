import dhive from "@hiveio/dhive";
import { outsideTeam } from "./outside-team.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type AnyBody = any;

export type Sandbox = {
  accounts: Array<{ name: string; keys: Record<string, string> }>;
  chat: { url: string; teamId: string } | null;
  chain: { url: string; chainId: string } | null;
};

export type ApiPerson = {
  name: string;
  userId: string;
  /** The gateway's token for Mattermost. */
  token: string;
  /** Calls one of the gateway's chat routes. */
  chat(method: string, path: string, body?: unknown): Promise<AnyBody>;
  /** Calls Mattermost itself. */
  mattermost(method: string, path: string, body?: unknown): Promise<AnyBody>;
};

async function call(url: string, init: { method?: string; body?: unknown; token?: string } = {}) {
  const response = await fetch(url, {
    method: init.method ?? "GET",
    headers: {
      "content-type": "application/json",
      ...(init.token && { authorization: `Bearer ${init.token}` }),
    },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer: AnyBody = await response.json();
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url} answered ${response.status}`);
  return answer;
}

/**
 * Reads the server's sandbox description. If the sandbox has no Mattermost, the worker's team on another
 * takes its place.
 */
export async function readSandbox(url: string): Promise<Sandbox> {
  const sandbox: Sandbox = await call(`${url}/api/sandbox`);
  return { ...sandbox, chat: sandbox.chat ?? outsideTeam() };
}

/** Signs in a sandbox account without a browser, to prepare a test. */
export async function createApiPerson(url: string, name: string, mattermostUrl?: string): Promise<ApiPerson> {
  const sandbox = await readSandbox(url);
  const wif = sandbox.accounts.find((account) => account.name === name)?.keys.posting;
  if (!wif) throw new Error(`the sandbox has no account ${name}`);
  const post = (path: string, body: unknown) => call(`${url}${path}`, { method: "POST", body });
  const { message } = await post("/api/auth/challenge", { username: name });
  const signature = dhive.PrivateKey.fromString(wif).sign(dhive.cryptoUtils.sha256(message)).toString();
  const { accessToken } = await post("/api/auth/login", { username: name, message, signature });
  const { token, userId } = await post("/api/chat/bootstrap", { username: name, accessToken });
  return {
    name,
    userId,
    token,
    chat: (method, path, body) => call(`${url}/api/chat${path}`, { method, body, token }),
    mattermost: (method, path, body) =>
      call(`${mattermostUrl ?? sandbox.chat?.url}${path}`, { method, body, token }),
  };
}
