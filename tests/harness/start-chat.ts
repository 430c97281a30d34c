import { checkAnswer } from "./check-answer.ts";
import { isOutsideMattermost, startContractMattermost } from "./contract-mattermost.ts";
import { formAccessToken } from "./form-access-token.ts";
import { type RecordingProxy, startRecordingProxy } from "./start-recording-proxy.ts";
import { type SandboxChain, startSandboxChain } from "./start-sandbox-chain.ts";

export type ChatAnswer<Body = Record<string, unknown>> = {
  status: number;
  body: Body;
  headers: Headers;
  cookie: string;
};

type Bootstrapped = { userId: string; channelId?: string; token: string; code?: string };

export type Chat = {
  chain: SandboxChain;
  teamId: string;
  /** The proxy between gateway and Mattermost. */
  proxy: RecordingProxy;
  /** Settings with which a gateway finds the chain and Mattermost. */
  settings: Record<string, string>;
  /** Calls Mattermost itself as its admin, or with another token. */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<ChatAnswer>;
  /** Creates a chain account that no test has used. */
  newAccount(): Promise<string>;
  /** Creates communities that no test has used, with that subscriber. */
  newCommunities(count: number, subscriber: string): Promise<string[]>;
  /** Returns the channel with that name, even if archived, as Mattermost's admin sees it. */
  channelNamed(name: string): Promise<Record<string, unknown>>;
  isMember(channelId: unknown, userId: string): Promise<boolean>;
  tokensOf(userId: string): Promise<Array<{ id: string; description: string }>>;
  /** Returns the calls that reached Mattermost since `proxy.forget`, without those that read its settings. */
  calls(): string[];
  close(): Promise<void>;
};

/**
 * Starts the embedded chain and, behind a recording proxy, the Mattermost that the contract is checked
 * against.
 */
export async function startChat(): Promise<Chat> {
  const chain = await startSandboxChain();
  const mattermost = await startContractMattermost();
  const proxy = await startRecordingProxy(mattermost.baseUrl);
  const { adminToken, teamId } = mattermost;
  // Makes names unique across runs, because an external Mattermost may keep its state.
  const run = Date.now();
  const accounts: string[] = [];
  let communities = 2_000_000 + (run % 900_000);
  const made: string[] = [];

  const ask: Chat["ask"] = (method, path, body, token = adminToken) =>
    request(method, mattermost.baseUrl + path, body, { authorization: `Bearer ${token}` });
  const archive = async (name: string) => {
    const { status, body } = await ask("GET", `/teams/${teamId}/channels/name/${name}`);
    if (status === 200) await ask("DELETE", `/channels/${body.id}`);
  };
  return {
    chain,
    teamId,
    proxy,
    ask,
    settings: {
      CHAT_BASE_URL: proxy.url,
      CHAT_ADMIN_TOKEN: adminToken,
      CHAT_TEAM_ID: teamId,
      HIVE_NODES: chain.url,
      HIVE_CHAIN_ID: chain.chainId,
    },
    async newAccount() {
      const name = `n${run.toString(36)}x${accounts.length + 1}`;
      accounts.push(name);
      await chain.setAccount({ name });
      return name;
    },
    async newCommunities(count, subscriber) {
      const names = Array.from({ length: count }, () => `hive-${++communities}`);
      made.push(...names);
      for (const name of names)
        await chain.setCommunity({ name, title: `Title of ${name}`, subscribers: [subscriber] });
      return names;
    },
    channelNamed: async (name) =>
      (await ask("GET", `/teams/${teamId}/channels/name/${name}?include_deleted=true`)).body,
    isMember: async (channelId, userId) =>
      (await ask("GET", `/channels/${channelId}/members/${userId}`)).status === 200,
    async tokensOf(userId) {
      const { body } = await ask("GET", `/users/${userId}/tokens`);
      return body as unknown as Array<{ id: string; description: string }>;
    },
    calls: () => proxy.calls().filter((call) => !call.startsWith("GET /config")),
    async close() {
      // An external Mattermost would fill up with the channels of every run, and a team accepts a limited
      // number.
      if (isOutsideMattermost()) for (const name of made) await archive(name);
      await mattermost.deactivate(accounts);
      await proxy.close();
      await mattermost.close();
      await chain.close();
    },
  };
}

/** Sends one request with a JSON body, and returns its answer, which must match the OpenAPI document. */
export async function request<Body = Record<string, unknown>>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ChatAnswer<Body>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  checkAnswer(method, url, response.status, answer);
  return {
    status: response.status,
    body: answer as Body,
    headers: response.headers,
    cookie: response.headers.getSetCookie()[0] ?? "",
  };
}

/** Bootstraps an account at a gateway with a new token. `more` adds or replaces fields of the body. */
export function requestBootstrap(
  gatewayUrl: string,
  username: string,
  more: Record<string, unknown> = {},
): Promise<ChatAnswer<Bootstrapped>> {
  const body = { username, accessToken: formAccessToken(username), ...more };
  return request<Bootstrapped>("POST", `${gatewayUrl}/api/chat/bootstrap`, body);
}
