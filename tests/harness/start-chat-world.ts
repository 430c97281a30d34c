import { expect } from "vitest";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { isOutsideMattermost, startContractMattermost } from "./contract-mattermost.ts";
import { type Answers, answersOf } from "./mattermost-answers.ts";
import { request, requestBootstrap } from "./start-chat.ts";
import { type Gateway, type GatewayOptions, type LocalGateway, startGateway } from "./start-gateway.ts";
import { type RecordingProxy, startRecordingProxy } from "./start-recording-proxy.ts";
import { type SandboxChain, startSandboxChain } from "./start-sandbox-chain.ts";
import { unique } from "./unique.ts";

export type Answer<Body> = { status: number; body: Body; headers: Headers };

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type AnyBody = any;

/** A person who signed in by bootstrap. */
export type Person = {
  name: string;
  id: string;
  pat: string;
  /** Calls the gateway below `/api/chat`. */
  api<Body = AnyBody>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** Calls Mattermost itself below `/api/v4`, with the same token, without the recording proxy. */
  mattermost<Body = AnyBody>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  /** Posts through the gateway and returns the post. */
  post(channelId: string, message: string, rootId?: string): Promise<AnyBody>;
};

export type ChatWorld<G extends Gateway = LocalGateway> = {
  chain: SandboxChain;
  gateway: G;
  /** The answers of a Mattermost of this version. */
  answers: Answers;
  /** The proxy between gateway and Mattermost. */
  proxy: RecordingProxy;
  teamId: string;
  /** Bootstraps an account of the chain. */
  login(name: string, community?: string): Promise<Person & { channelId: string }>;
  /** Bootstraps a new account. */
  newcomer(): Promise<Person>;
  /** Calls Mattermost itself as its admin. Fails the test if refused. */
  admin<Body = AnyBody>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Creates a channel with these members and returns its id. */
  makeChannel(
    members: readonly Person[],
    fields?: { type?: "O" | "P"; name?: string; display_name?: string },
  ): Promise<string>;
  close(): Promise<void>;
};

/** People who remain on a server from run to run. */
const residents: ReadonlySet<string> = new Set(sandboxAccounts.map(({ name }) => name));

type WorldOptions<G extends Gateway> = {
  /** Settings that override the world's. */
  settings?: Readonly<Record<string, string>>;
  /** Number of the chain's nodes (default 1), all of which the gateway uses. */
  chainNodes?: number;
  /** The version that the embedded Mattermost emulates. */
  flavour?: "v7" | "v11";
  /** Starts the gateway, by default in this process. */
  start?: (options: GatewayOptions) => Promise<G>;
};

/**
 * Starts a chain, a Mattermost (the embedded one, or the real one that the environment names), a recording
 * proxy and a gateway.
 */
export async function startChatWorld<G extends Gateway = LocalGateway>(
  options: WorldOptions<G> = {},
): Promise<ChatWorld<G>> {
  const start = options.start ?? (startGateway as unknown as NonNullable<WorldOptions<G>["start"]>);
  const ownChain = await startSandboxChain({ extraNodes: (options.chainNodes ?? 1) - 1 });
  const fresh: string[] = [];
  const chain: SandboxChain = {
    ...ownChain,
    setAccount(change) {
      if (!residents.has(change.name)) fresh.push(change.name);
      return ownChain.setAccount(change);
    },
  };
  const mattermost = await startContractMattermost(options.flavour);
  const ping = await fetch(`${mattermost.baseUrl}/system/ping`);
  const proxy = await startRecordingProxy(mattermost.baseUrl);
  const gateway = await start({
    settings: {
      CHAT_BASE_URL: proxy.url,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
      HIVE_NODES: chain.urls.join(","),
      HIVE_CHAIN_ID: chain.chainId,
      ...options.settings,
    },
  });

  const ask = <Body>(token: string, method: string, path: string, body?: unknown) =>
    request<Body>(method, mattermost.baseUrl + path, body, { authorization: `Bearer ${token}` });

  const admin = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await ask<Body>(mattermost.adminToken, method, path, body);
    if (method === "POST" && path === "/users") fresh.push((body as { username: string }).username);
    expect(answer.status, `${method} ${path} as admin: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };

  const rooms: string[] = [];

  const login: ChatWorld["login"] = async (name, community) => {
    const { status, body } = await requestBootstrap(gateway.url, name, community ? { community } : {});
    expect(status, `bootstrap of ${name}: ${JSON.stringify(body)}`).toBe(200);
    const { userId: id, token: pat, channelId = "" } = body;
    const api: Person["api"] = (method, path, sent, headers) =>
      request(method, `${gateway.url}/api/chat${path}`, sent, { authorization: `Bearer ${pat}`, ...headers });
    return {
      name,
      id,
      pat,
      channelId,
      api,
      mattermost: (method, path, sent) => ask(pat, method, path, sent),
      async post(channelId, message, rootId) {
        const answer = await api("POST", `/channels/${channelId}/posts`, {
          message,
          ...(rootId && { rootId }),
        });
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        return answer.body.post;
      },
    };
  };

  return {
    chain,
    gateway,
    answers: answersOf(ping.headers.get("x-version-id") ?? ""),
    proxy,
    teamId: mattermost.teamId,
    admin,
    login,
    async newcomer() {
      const name = unique("n");
      await chain.setAccount({ name });
      return login(name);
    },
    async makeChannel(members, { type = "O", name = unique("room-"), display_name = name } = {}) {
      const fields = { team_id: mattermost.teamId, type, name, display_name };
      const { id } = await admin<{ id: string }>("POST", "/channels", fields);
      rooms.push(id);
      for (const member of members) await admin("POST", `/channels/${id}/members`, { user_id: member.id });
      return id;
    },
    async close() {
      // An external Mattermost would fill up with the rooms of every run.
      if (isOutsideMattermost())
        for (const id of rooms) await ask(mattermost.adminToken, "DELETE", `/channels/${id}`);
      await mattermost.deactivate(fresh);
      await gateway.close();
      await proxy.close();
      await mattermost.close();
      await chain.close();
    },
  };
}
