import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CodedError } from "../../../lib/errors.ts";
import { CLIENT_ADDRESS_HEADER } from "../../../lib/http/client-address.ts";
import { log } from "../../../lib/log.ts";
import { type HeldTime, holdTime } from "../../harness/hold-time.ts";
import { httpScope, routeWith } from "../../harness/http-scope.ts";

log("silent");

const goodPat = "alicepat00000000000000000a";
const madeUp = (count: number) => String(count).padStart(26, "x");
const policy = '"unproven-tokens";q=300;w=60';

let time: HeldTime;
beforeEach(() => {
  time = holdTime();
});
afterEach(() => time.release());

/** Opens a server that accepts one PAT, until `revoke`. */
function openServer() {
  const http = httpScope();
  const route = routeWith({ http });
  const asked: string[] = [];
  let isRevoked = false;
  const requireGood = (pat: string) => {
    asked.push(pat);
    if (pat !== goodPat || isRevoked) throw new CodedError("unauthorized");
    return { ok: true };
  };
  const rare = { name: "rare", requests: 1, windowSeconds: 3600, by: "person" } as const;
  const routes = {
    plain: route({ auth: "pat" }, ({ pat }) => requireGood(pat)),
    rare: route({ auth: "pat", limits: [rare] }, ({ pat }) => requireGood(pat)),
    /** Refuses the request before the token is checked. */
    strict: routeWith({ http }, "/api/things/{thingId}")({ auth: "pat" }, ({ pat }) => requireGood(pat)),
  };
  const send = async (
    pat: string,
    { client = "1.1.1.1", method = "POST", to = "plain" as keyof typeof routes } = {},
  ) => {
    const headers = { authorization: `Bearer ${pat}`, [CLIENT_ADDRESS_HEADER]: client };
    const { status, headers: given } = await routes[to](
      new Request("https://chat.example.com/api/chat/things", { method, headers }),
    );
    return { status, policy: given.get("ratelimit-policy"), retryAfter: given.get("retry-after") };
  };
  /** Sends requests with this many invented tokens, and returns the answers' statuses. */
  const makeUp = async (count: number, given: Parameters<typeof send>[1] = {}) => {
    const statuses: number[] = [];
    for (let made = 0; made < count; made++) statuses.push((await send(madeUp(made), given)).status);
    return statuses;
  };
  return {
    asked,
    send,
    makeUp,
    revoke: () => {
      isRevoked = true;
    },
  };
}

describe("invented tokens", () => {
  it.each(["POST", "GET"])(
    "limits %s to 300 a minute per client address, then returns 429 with the wait",
    async (method) => {
      const { asked, send, makeUp } = openServer();
      const statuses = await makeUp(400, { method });
      expect(statuses.slice(0, 300)).toEqual(Array(300).fill(401));
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(80);
      expect(asked.length).toBeLessThan(320);
      const told = await send(madeUp(0), { method });
      expect(told).toMatchObject({ status: 429, policy });
      expect(told.retryAfter).toBe("1");
      expect((await send(madeUp(0), { method, client: "2.2.2.2" })).status).toBe(401);
      time.pass(1000);
      expect((await send(madeUp(0), { method })).status).toBe(401);
    },
  );

  it("counts requests that are refused before the token is checked", async () => {
    const { makeUp } = openServer();
    const statuses = await makeUp(310, { to: "strict" });
    expect(new Set(statuses.slice(0, 300))).toEqual(new Set([404]));
    expect(statuses.at(-1)).toBe(429);
  });

  it("admits proven tokens from the same address", async () => {
    const { send, makeUp } = openServer();
    expect((await send(goodPat)).status).toBe(200);
    await makeUp(310);
    expect((await send(goodPat)).status).toBe(200);
  });

  it("never evicts the quota of a proven token", async () => {
    const { send, makeUp } = openServer();
    expect((await send(goodPat, { to: "rare" })).status).toBe(200);
    await makeUp(20_001, { to: "rare" });
    expect(await send(goodPat, { to: "rare" })).toMatchObject({
      status: 429,
      policy: expect.stringContaining('"rare"'),
    });
  });
});

describe("proven tokens", () => {
  it("reports only the token's own quota, and uses none of the client's", async () => {
    const { send, makeUp } = openServer();
    expect(await send(goodPat)).toMatchObject({ status: 200, policy: '"writes";q=10;w=1' });
    for (let count = 0; count < 400; count++) await send(goodPat, { method: "GET" });
    expect((await makeUp(299)).at(-1)).toBe(401);
  });

  it("counts a revoked token like an invented one", async () => {
    const { send, makeUp, revoke } = openServer();
    expect((await send(goodPat)).status).toBe(200);
    revoke();
    expect((await send(goodPat)).status).toBe(401);
    await makeUp(310);
    expect(await send(goodPat)).toMatchObject({ status: 429, policy });
  });
});
