import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startAccountNode } from "../../harness/account-node.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const realNow = Date.now;
const realUptime = process.hrtime.bigint;

describe("a login challenge that was used", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeEach(async () => {
    node = await startAccountNode(["alice"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await gateway.close();
    await node.close();
  });

  const { challenge, answer } = createAuthClient(() => gateway.url);

  /** Both clocks have come so far since the test began. */
  const showClocks = (uptimeSeconds: number, wallSeconds: number) => {
    const passed = BigInt(uptimeSeconds) * 10n ** 9n;
    vi.spyOn(process.hrtime, "bigint").mockImplementation(() => realUptime() + passed);
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + wallSeconds * 1000);
  };

  it.each([
    ["seven minutes", 420],
    ["a week", 7 * 86_400],
  ])(
    "stays used when the wall clock is stepped back after %s to a time at which it was open",
    async (_, seconds) => {
      const message = await challenge();
      expect((await answer(message)).status).toBe(200);
      showClocks(seconds, seconds);
      expect((await answer(message)).status).toBe(401);
      showClocks(seconds, 120);
      expect(await answer(message)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      expect((await answer(await challenge())).status).toBe(200);
    },
  );
});
