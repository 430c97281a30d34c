import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { formAccessToken } from "../harness/form-access-token.ts";
import { startTestMattermost } from "../harness/start-mattermost.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { type Settings, startBuiltGateway } from "./children.ts";

/** A call by the gateway to one of the servers behind it. */
export type BackendCall = {
  to: "mattermost" | "chain";
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body: string;
  headers: Record<string, string>;
};

type Recorded = BackendCall & { status: number; text: string; from: number; until: number };

/**
 * A request to the gateway, its answer, and the calls behind it. Calls of one group are in flight together.
 */
export type RecordedRequest = {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: string;
  answer: string;
  groups: BackendCall[][];
};

export type Recording = {
  /** Mattermost's answers by method and target. */
  answers: Map<string, string>;
  requests: { me: RecordedRequest; posts: RecordedRequest; bootstrap: RecordedRequest };
  /** Settings with which a gateway makes the same calls to a backend of constant answers. */
  settings: Settings;
  chainUrl: string;
  close(): Promise<void>;
};

/** Starts a server that passes calls on to another, and records them with their answers. */
async function startRecorder(to: BackendCall["to"], target: string, recorded: Recorded[]) {
  const server = createServer(async (incoming, outgoing) => {
    const from = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { authorization, "content-type": type } = incoming.headers;
    const call: BackendCall = {
      to,
      method: incoming.method as BackendCall["method"],
      path: incoming.url ?? "/",
      body,
      headers: { ...(authorization && { authorization }), ...(type && { "content-type": type }) },
    };
    const answer = await request(target + call.path, {
      method: call.method,
      headers: call.headers,
      ...(body !== "" && { body }),
    });
    const text = await answer.body.text();
    recorded.push({ ...call, status: answer.statusCode, text, from, until: performance.now() });
    outgoing.writeHead(answer.statusCode, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const POSTS = 60;
/** Number of repeats. The first requests fill the caches and the store, as in a running gateway. */
const REPEATS = 3;

/**
 * Runs a gateway on the sandbox, and records its calls for each kind of request once it is warm. Its data
 * folder stays, so that another gateway can start with it.
 */
export async function recordCalls(settings: Settings): Promise<Recording> {
  const chain = await startSandboxChain({ blockIntervalMs: 3000 });
  const mattermost = await startTestMattermost();
  const dataDir = mkdtempSync(join(tmpdir(), "hivegate-bench-"));
  const recorded: Recorded[] = [];
  const toMattermost = await startRecorder("mattermost", new URL(mattermost.url).origin, recorded);
  const toChain = await startRecorder("chain", chain.url, recorded);
  const common: Settings = {
    ...settings,
    DATA_DIR: dataDir,
    CHAT_ADMIN_TOKEN: mattermost.adminToken,
    CHAT_TEAM_ID: mattermost.teamId,
    HIVE_CHAIN_ID: chain.chainId,
  };
  const gateway = await startBuiltGateway("recorded", {
    ...common,
    CHAT_BASE_URL: `${toMattermost.url}/api/v4`,
    HIVE_NODES: toChain.url,
  });
  const ask = async ({ method, path, headers, body }: Omit<RecordedRequest, "answer" | "groups">) => {
    const answer = await request(gateway.url + path, { method, headers, ...(body !== "" && { body }) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return text;
  };
  const record = async (asked: Omit<RecordedRequest, "answer" | "groups">): Promise<RecordedRequest> => {
    for (let time = 1; time < REPEATS; time++) await ask(asked);
    const before = recorded.length;
    const answer = await ask(asked);
    return { ...asked, answer, groups: groupsOf(recorded.slice(before)) };
  };
  try {
    const json = { "content-type": "application/json" };
    const accessToken = formAccessToken("alice");
    const bootstrap = await record({
      method: "POST",
      path: "/api/chat/bootstrap",
      headers: json,
      body: JSON.stringify({ username: "alice", accessToken, community: "hive-100001" }),
    });
    const { token, channelId } = JSON.parse(bootstrap.answer) as { token: string; channelId: string };
    const headers = { authorization: `Bearer ${token}` };
    for (let number = 1; number <= POSTS; number++) {
      const message = `Message ${number} with **weight**, a [link](https://example.org/${number}) and a few words.`;
      const body = JSON.stringify({ channel_id: channelId, message });
      const url = `${mattermost.url}/posts`;
      await request(url, { method: "POST", headers: { ...headers, ...json }, body });
    }
    const read = (path: string) => record({ method: "GET", path, headers, body: "" });
    const requests = {
      me: await read("/api/chat/me"),
      posts: await read(`/api/chat/channels/${channelId}/posts`),
      bootstrap: await record(bootstrap),
    };
    return {
      answers: new Map(
        recorded
          .filter(({ to, status }) => to === "mattermost" && status < 300)
          .map(({ method, path, text }) => [`${method} ${path}`, text]),
      ),
      requests,
      settings: { ...common, HIVE_NODES: chain.url },
      chainUrl: chain.url,
      close: chain.close,
    };
  } finally {
    await gateway.end();
    toMattermost.close();
    toChain.close();
    await mattermost.close();
  }
}

/** Sorts calls into groups whose times overlap. */
function groupsOf(calls: readonly Recorded[]): BackendCall[][] {
  const groups: BackendCall[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const call of [...calls].sort((one, other) => one.from - other.from)) {
    const { to, method, path, body, headers } = call;
    if (call.from >= until) groups.push([]);
    groups.at(-1)?.push({ to, method, path, body, headers });
    until = Math.max(until, call.until);
  }
  return groups;
}
