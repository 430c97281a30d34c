import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { holdTime } from "../../harness/hold-time.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";

describe("a client that sends requests with made-up tokens", () => {
  let world: ChatWorld;
  beforeEach(async () => {
    world = await startChatWorld({ settings: { RATE_LIMITS: "on", TRUST_PROXY: "1" } });
  });
  afterEach(() => world.close());

  const open = (client: string, pat: string) =>
    request<{ code?: string }>(
      "POST",
      `${world.gateway.url}/api/chat/direct`,
      { username: "bob" },
      {
        authorization: `Bearer ${pat}`,
        "x-forwarded-for": client,
      },
    );

  it("gets 429 after 300 in a minute, without affecting others or signed-in users at its address", async () => {
    const { body } = await requestBootstrap(world.gateway.url, "alice");
    const time = holdTime();
    onTestFinished(time.release);
    const statuses: number[] = [];
    for (let sent = 0; sent < 320; sent += 40) {
      const pats = Array.from({ length: 40 }, (_, index) => String(sent + index).padStart(26, "x"));
      const answers = await Promise.all(pats.map((pat) => open("192.0.2.1", pat)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toEqual([...Array(300).fill(401), ...Array(20).fill(429)]);
    const told = await open("192.0.2.1", "y".repeat(26));
    expect([told.status, told.body.code]).toEqual([429, "rate_limited"]);
    expect(told.headers.get("ratelimit-policy")).toBe('"unproven-tokens";q=300;w=60');
    expect((await open("192.0.2.2", "y".repeat(26))).status).toBe(401);
    const tip = (client: string, pat: string) => {
      const headers = { authorization: `Bearer ${pat}`, "x-forwarded-for": client };
      const query = `to=bob&amount=0.010&post=${"z".repeat(26)}`;
      return request("POST", `${world.gateway.url}/api/demo/tips?${query}`, undefined, headers);
    };
    expect((await tip("192.0.2.1", "y".repeat(26))).status).toBe(429);
    expect((await tip("192.0.2.2", "y".repeat(26))).status).toBe(401);
    expect((await tip("192.0.2.1", body.token)).status).toBe(404);
    expect((await open("192.0.2.1", body.token)).status).toBe(200);
  });
});
