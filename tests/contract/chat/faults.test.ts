import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { patRoutes, withAllRoutes } from "../../harness/chat-routes.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import type { Treatment } from "../../harness/start-recording-proxy.ts";

/** Text that must never reach a client: the messages, addresses and ids of Mattermost's errors. */
const upstream = /upstream secret|127\.0\.0\.1|ECONN|api\/v4|app_error|undici|\bat \S+:\d+/;

const broken = JSON.stringify({
  id: "store.sql.broken.app_error",
  message: "upstream secret",
  detailed_error: "upstream secret",
  request_id: "x",
  status_code: 500,
});

describe("with a failing Mattermost", () => {
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    world = await startChatWorld({ settings: withAllRoutes });
    alice = await world.login("alice");
    // The channels are read beforehand, so that only the calls of the routes fail below.
    await alice.api("GET", "/channels");
  });
  afterEach(() => world.proxy.treat(() => "pass"));
  afterAll(() => world.close());

  const faults: ReadonlyArray<[name: string, treatment: Treatment]> = [
    ["answers 500", { status: 500, text: broken }],
    ["answers 502 with a page", { status: 502, text: "<html>upstream secret</html>" }],
    ["answers nonsense", { status: 200, text: "<html>upstream secret</html>" }],
    ["answers JSON of another shape", { status: 200, text: '{"upstream secret":true}' }],
    ["cuts the connection", "cut"],
    ["dies in the middle of its answer", "break-off"],
  ];

  /**
   * Returns whether a broken answer can be recognized before it is passed on. A file may contain any bytes.
   */
  const canBeJudged = ({ path }: { path: string }, treatment: Treatment) =>
    !path.startsWith("/files/") ||
    treatment === "cut" ||
    (typeof treatment === "object" && "status" in treatment && treatment.status !== 200);

  describe.each(faults)("that %s", (_name, treatment) => {
    it.each(patRoutes.filter((route) => canBeJudged(route, treatment)))(
      "$method $path returns 502 without leaking Mattermost's answer",
      async ({ method, path, body }) => {
        world.proxy.treat(() => treatment);
        const answer = await alice.api(method, path, body);
        expect([answer.status, answer.body.code]).toEqual([502, "backend_unreachable"]);
        expect(answer.body).toEqual({
          error: expect.any(String),
          code: "backend_unreachable",
          requestId: expect.any(String),
        });
        expect(JSON.stringify(answer.body)).not.toMatch(upstream);
      },
    );
  });

  it("every route returns 504 when Mattermost hangs, and the next call succeeds", async () => {
    world.proxy.treat(() => "hang");
    const answers = await Promise.all(
      patRoutes.map(({ method, path, body }) => alice.api(method, path, body)),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      patRoutes.map(() => [504, "backend_timeout"]),
    );
    world.proxy.treat(() => "pass");
    expect((await alice.api("GET", "/me")).status).toBe(200);
  });

  it("a slow answer within the deadline is returned", async () => {
    world.proxy.treat(() => ({ delayMs: 300 }));
    expect((await alice.api("GET", "/me")).body.user.username).toBe("alice");
  });

  it("Mattermost's rate limit becomes 503 with Retry-After", async () => {
    world.proxy.treat(() => ({ status: 429, text: "limit exceeded" }));
    const { status, body, headers } = await alice.api("GET", "/me");
    expect([status, body.code]).toEqual([503, "overloaded"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("a client's disconnect aborts its read at Mattermost", async () => {
    world.proxy.treat(() => "hang");
    world.proxy.forget();
    const gone = new AbortController();
    const address = `${world.gateway.url}/api/chat/me`;
    const asked = fetch(address, { headers: { authorization: `Bearer ${alice.pat}` }, signal: gone.signal });
    await expect.poll(() => world.proxy.calls()).toEqual(["GET /users/me"]);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => world.proxy.underWay()).toBe(0);
  });

  it("a completed write is not repeated when its answer is lost", async () => {
    const room = await world.makeChannel([alice]);
    world.proxy.treat(({ path }) => (path === "/posts" ? "lose-answer" : "pass"));
    expect((await alice.api("POST", `/channels/${room}/posts`, { message: "once" })).status).toBe(502);
    world.proxy.treat(() => "pass");
    const { posts } = (await alice.api("GET", `/channels/${room}/posts`)).body;
    expect(posts.filter(({ message }: AnyBody) => message === "once")).toHaveLength(1);
  });
});
