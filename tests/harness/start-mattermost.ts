import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MattermostOptions, startMattermost } from "../../sandbox/mattermost/start.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type AnyBody = any;

export type Answer = { status: number; body: AnyBody; headers: Headers };
export type Account = {
  id: string;
  username: string;
  token: string;
  api(method: string, path: string, body?: unknown): Promise<Answer>;
};

export type TestMattermost = Awaited<ReturnType<typeof startTestMattermost>>;

/** Calls a Mattermost below `/api/v4`. */
export async function callMattermost(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return {
    status: response.status,
    body: await response.json().catch(() => null),
    headers: response.headers,
  };
}

/** Starts a sandbox Mattermost on a free port with a new folder, and returns functions to fill it. */
export async function startTestMattermost(
  options: Partial<MattermostOptions> & { keepsData?: boolean } = {},
) {
  const { keepsData = false, ...rest } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "mattermost-")));
  const faults: unknown[] = [];
  const server = await startMattermost({
    port: 0,
    onFault: (error) => faults.push(error),
    ...rest,
    dataDir,
  });
  const admin = (method: string, path: string, body?: unknown) =>
    callMattermost(server.url, server.adminToken, method, path, body);

  return {
    ...server,
    dataDir,
    /** Faults that callers only saw as a 500. */
    faults,
    admin,
    /** Creates an account with a token, in the operator's team. */
    async account(username: string): Promise<Account> {
      const email = `${username}@example.com`;
      const { body: user } = await admin("POST", "/users", { username, email, password: "long enough" });
      await admin("POST", `/teams/${server.teamId}/members`, { team_id: server.teamId, user_id: user.id });
      const { body } = await admin("POST", `/users/${user.id}/tokens`, { description: "test" });
      const api: Account["api"] = (method, path, sent) =>
        callMattermost(server.url, body.token, method, path, sent);
      return { id: user.id, username, token: body.token, api };
    },
    /** Creates a channel as the first person, with the others in it. */
    async channel(name: string, [owner, ...others]: [Account, ...Account[]], type = "O"): Promise<AnyBody> {
      const fields = { team_id: server.teamId, name, display_name: name, type };
      const { body } = await owner.api("POST", "/channels", fields);
      for (const { id } of others) await owner.api("POST", `/channels/${body.id}/members`, { user_id: id });
      return body;
    },
    async close() {
      await server.close();
      if (!keepsData) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
