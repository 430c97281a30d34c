import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeAll(async () => {
  chain = await startSandboxChain();
});
afterAll(() => chain.close());

const ask = (method: string, params: unknown[]) => chain.call(`condenser_api.${method}`, params);

describe("a wallet's node", () => {
  test("reports its health to any page, as wallets require before they use it", async () => {
    const response = await fetch(`${chain.url}/health`);
    expect(await response.json()).toEqual({ status: "OK" });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("returns the reward fund, and the price by which wallets convert votes and HBD", async () => {
    expect(await ask("get_reward_fund", ["post"])).toMatchObject({
      name: "post",
      reward_balance: expect.stringMatching(/^\d+\.\d{3} HIVE$/),
      recent_claims: expect.stringMatching(/^\d+$/),
      last_update: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      percent_curation_rewards: 5000,
      author_reward_curve: "linear",
    });
    expect(await ask("get_current_median_history_price", [])).toEqual({
      base: "0.250 HBD",
      quote: "1.000 HIVE",
    });
  });

  test.each([
    ["get_conversion_requests", ["alice"]],
    ["get_collateralized_conversion_requests", ["alice"]],
    ["get_open_orders", ["alice"]],
    ["get_withdraw_routes", ["alice", "outgoing"]],
  ])("returns an empty list for %s", async (method, params) => {
    expect(await ask(method, params)).toEqual([]);
  });

  test("refuses an unknown reward fund and a missing argument like real nodes", async () => {
    await expect(ask("get_reward_fund", ["comment"])).rejects.toThrow(/Invalid reward fund name/);
    await expect(ask("get_open_orders", [])).rejects.toThrow(/Expected 1 argument\(s\), was 0/);
  });
});
