import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ChatRoute, patRoutes, withAllRoutes } from "../../harness/chat-routes.ts";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { holdTime } from "../../harness/hold-time.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";

/** Returns whether a route would end the sign-ins that the tests compare. */
const endsSignIns = ({ method, path }: ChatRoute) => method === "DELETE" && path.startsWith("/sign-ins");
const HOUR_MS = 3_600_000;

describe("a personal quota", () => {
  let world: ChatWorld;
  let pats: string[];
  beforeAll(async () => {
    world = await startChatWorld({ settings: { RATE_LIMITS: "on", ...withAllRoutes } });
    const signIn = async (secondsAgo: number) => {
      const accessToken = formAccessToken("alice", { secondsAgo });
      return (await requestBootstrap(world.gateway.url, "alice", { accessToken })).body;
    };
    const [one, other] = [await signIn(0), await signIn(60)];
    const made = await world.admin<{ token: string }>("POST", `/users/${one.userId}/tokens`, {
      description: "somebody's",
    });
    pats = [one.token, other.token, made.token];
  });
  afterAll(() => world.close());

  /** Returns the remainder of each quota, by name. */
  const leftAfter = async (pat: string, { method, path, body }: ChatRoute) => {
    const headers = { authorization: `Bearer ${pat}` };
    const answer = await request(method, `${world.gateway.url}/api/chat${path}`, body, headers);
    const told = answer.headers.get("ratelimit") ?? "";
    return Object.fromEntries(
      [...told.matchAll(/"([\w-]+)";r=(\d+)/g)].map(([, name, r]) => [name, Number(r)]),
    );
  };

  it.each(patRoutes.filter((route) => !endsSignIns(route)))(
    "counts the requests of all of a person's tokens together: $method $path",
    async (route) => {
      const time = holdTime();
      onTestFinished(time.release);
      time.pass(HOUR_MS);
      const left: Array<Record<string, number>> = [];
      for (const pat of pats) left.push(await leftAfter(pat, route));
      const [first = {}] = left;
      const names = Object.keys(first);
      if (route.method !== "GET") expect(names).toContain("writes");
      expect(left).toEqual(
        pats.map((_, used) => Object.fromEntries(names.map((name) => [name, (first[name] ?? 0) - used]))),
      );
    },
  );
});
