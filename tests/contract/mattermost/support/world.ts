import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import {
  flavoursToTry,
  isOutsideMattermost,
  startContractMattermost,
} from "../../../harness/contract-mattermost.ts";
import { type Answers, answersOf } from "../../../harness/mattermost-answers.ts";
import { type Answer, call } from "./call.ts";
import { fence, type Listener, type ListenOptions, openListener } from "./listener.ts";
import { type Client, openClient } from "./official-client.ts";

export type Person = {
  id: string;
  username: string;
  email: string;
  password: string;
  token: string;
  client: Client;
};
export type ChannelLike = { id: string; name: string; team_id: string; type: string };

/** A team on the server under test, and functions to fill it. */
export type World = {
  baseUrl: string;
  /** The answers of servers of this version. */
  answers: Answers;
  admin: Person;
  team: { id: string; name: string };
  /** Creates an account with a token; by default in the team. */
  person(options?: { isOutsideTeam?: boolean }): Promise<Person>;
  people(count: number): Promise<Person[]>;
  /** Creates a channel as the first person, with the others in it. */
  channel(members: readonly [Person, ...Person[]], type?: "O" | "P"): Promise<ChannelLike>;
  direct(one: Person, other: Person): Promise<ChannelLike>;
  post(
    author: Person,
    channelId: string,
    message: string,
    more?: Record<string, unknown>,
  ): Promise<Answer["body"]>;
  call(
    person: Person | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Opens a websocket, and resolves after its hello. It is closed at the end of the file. */
  listen(person: Person, options?: ListenOptions): Promise<Listener>;
  /** Resolves once everything caused so far has reached the listener. */
  fence(person: Person, listener: Listener): Promise<void>;
  name(prefix?: string): string;
};

/** Returns a new name of letters and digits, starting with a letter. */
export function freshName(prefix = "x"): string {
  return `${prefix}${randomBytes(6).toString("hex")}`;
}

async function makeWorld(flavour: "v7" | "v11"): Promise<{ world: World; close(): Promise<void> }> {
  const mattermost = await startContractMattermost(flavour);
  const { baseUrl, adminToken } = mattermost;
  const users: string[] = [];
  const teams: string[] = [];
  const listeners: Listener[] = [];
  const adminClient = openClient(baseUrl, adminToken);
  const me = await adminClient.getMe();
  const admin: Person = { ...me, password: "", token: adminToken, client: adminClient };
  const { headers } = await call(baseUrl, "", "GET", "/system/ping");
  const answers = answersOf(headers.get("x-version-id") ?? "");

  const teamName = freshName("team");
  const { body: team } = await call(baseUrl, adminToken, "POST", "/teams", {
    name: teamName,
    display_name: teamName,
    type: "O",
  });

  const world: World = {
    baseUrl,
    answers,
    admin,
    team,
    name: freshName,
    async person({ isOutsideTeam = false } = {}) {
      const username = freshName("u");
      const password = `Aa1!${randomBytes(9).toString("hex")}`;
      const email = `${username}@example.com`;
      const user = await adminClient.createUser({ username, email, password } as never, "", "");
      users.push(username);
      if (!isOutsideTeam) await adminClient.addToTeam(team.id, user.id);
      const { token = "" } = await adminClient.createUserAccessToken(user.id, "contract");
      return { id: user.id, username, email, password, token, client: openClient(baseUrl, token) };
    },
    async people(count) {
      return Promise.all(Array.from({ length: count }, () => world.person()));
    },
    async channel([owner, ...others], type = "O") {
      const name = freshName("c");
      const { body } = await call(baseUrl, owner.token, "POST", "/channels", {
        team_id: team.id,
        name,
        display_name: name,
        type,
      });
      for (const { id, token } of others) {
        // Joining mentions no one, so it leaves no unread mention.
        const adder = type === "O" ? token : owner.token;
        await call(baseUrl, adder, "POST", `/channels/${body.id}/members`, { user_id: id });
      }
      return body;
    },
    async direct(one, other) {
      return (await call(baseUrl, one.token, "POST", "/channels/direct", [one.id, other.id])).body;
    },
    async post(author, channelId, message, more = {}) {
      const { status, body } = await call(baseUrl, author.token, "POST", "/posts", {
        channel_id: channelId,
        message,
        ...more,
      });
      if (status !== 201) throw new Error(`post refused: ${status} ${body.id}`);
      return body;
    },
    async call(person, method, path, body, headers) {
      const answer = await call(baseUrl, person?.token ?? "", method, path, body, headers);
      if (method === "POST" && path === "/users" && answer.status === 201) users.push(answer.body.username);
      if (method === "POST" && path === "/teams" && answer.status === 201) teams.push(answer.body.id);
      return answer;
    },
    async listen(person, options = {}) {
      const listener = await openListener(baseUrl, { token: person.token, ...options });
      listeners.push(listener);
      await listener.event("hello");
      return listener;
    },
    fence: (person, listener) => fence(baseUrl, person, listener),
  };

  return {
    world,
    async close() {
      for (const listener of listeners) listener.socket.terminate();
      await mattermost.deactivate(users);
      if (isOutsideMattermost())
        for (const id of [team.id, ...teams]) await call(baseUrl, adminToken, "DELETE", `/teams/${id}`);
      await mattermost.close();
    },
  };
}

/**
 * Defines a suite that runs against the server that the environment names or, without one, against the
 * sandbox as both kinds of server. The world is filled before the first test.
 */
export function describeMattermost(name: string, define: (world: World) => void): void {
  for (const flavour of flavoursToTry()) {
    describe(isOutsideMattermost() ? name : `${name} (${flavour})`, () => {
      const world = {} as World;
      let close = async () => {};
      beforeAll(async () => {
        const made = await makeWorld(flavour);
        Object.assign(world, made.world);
        close = made.close;
      });
      afterAll(() => close());
      define(world);
    });
  }
}
