import { afterAll, describe, expect, it } from "vitest";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { request } from "../../harness/start-chat.ts";
import { startChatWorld } from "../../harness/start-chat-world.ts";

const world = await startChatWorld();
afterAll(() => world.close());

/** Bootstraps an account on one more device. */
async function enter(name: string, device: string, secondsAgo: number) {
  const accessToken = formAccessToken(name, { timestamp: Math.floor(Date.now() / 1000) - secondsAgo });
  const { status, body } = await request(
    "POST",
    `${world.gateway.url}/api/chat/bootstrap`,
    { username: name, accessToken },
    { "user-agent": device },
  );
  expect(status).toBe(200);
  return String(body.token);
}
const list = async (token: string) => {
  const answer = await request("GET", `${world.gateway.url}/api/chat/sign-ins`, undefined, {
    authorization: `Bearer ${token}`,
  });
  expect(answer.status).toBe(200);
  return answer.body.signIns as Array<{ id: string; device: string; signedInAt: string; isCurrent: boolean }>;
};

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0";

describe("GET /sign-ins", () => {
  it("lists each device with its time, latest first, and says which one asks", async () => {
    const { name } = await world.newcomer();
    const begun = Date.now();
    const browser = await enter(name, firefox, 20);
    const bot = await enter(name, "pricebot/2.1 (+https://bot.example)", 10);
    expect(bot).not.toBe(browser);
    const [latest, second] = await list(browser);
    expect([latest?.device, second?.device]).toEqual(["pricebot", "Firefox on Linux"]);
    expect([latest?.isCurrent, second?.isCurrent]).toEqual([false, true]);
    for (const each of [latest, second])
      expect(Date.parse(each?.signedInAt ?? "")).toBeGreaterThanOrEqual(begun - 1000);
    expect((await list(bot)).map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
  });

  it("counts bootstraps with one access token as one, also those in parallel", async () => {
    const { name } = await world.newcomer();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => enter(name, firefox, 30)));
    expect(new Set([...tokens, await enter(name, firefox, 30)]).size).toBe(1);
    expect(await list(tokens[0] ?? "")).toHaveLength(2);
  });

  it("keeps the last 20, and ends the oldest", async () => {
    const { name, pat } = await world.newcomer();
    for (let device = 0; device < 20; device++) await enter(name, firefox, 100 - device);
    const [last] = await Promise.all([enter(name, firefox, 5)]);
    expect(await list(last)).toHaveLength(20);
    const answer = await request("GET", `${world.gateway.url}/api/chat/me`, undefined, {
      authorization: `Bearer ${pat}`,
    });
    expect(answer.status).toBe(401);
  });

  it("tells nobody of somebody else's", async () => {
    const [one, other] = [await world.newcomer(), await world.newcomer()];
    const ids = (await list(one.pat)).map(({ id }) => id);
    for (const { id } of await list(other.pat)) expect(ids).not.toContain(id);
    expect(JSON.stringify(await list(one.pat))).not.toContain(one.pat);
  });
});
