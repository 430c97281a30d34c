import { describe, expect, test } from "vitest";
import { readAccounts } from "../../../lib/hive/accounts.ts";
import { clientOf, nodeThat } from "../../harness/hive-nodes.ts";

describe("accounts", () => {
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
  const row = { name: "alice", owner: authority, active: authority, posting: authority };

  test("are read by name, with balances in 1/1000 HBD, from either form of assets", async () => {
    const nai = { ...row, hbd_balance: { amount: "3465", precision: 3, nai: "@@000000013" } };
    const legacy = { ...row, hbd_balance: "3.465 HBD" };
    for (const answer of [nai, legacy]) {
      const node = await nodeThat(() => ({ result: { accounts: [{ ...answer, name: "mallory" }, answer] } }));
      const found = await readAccounts(clientOf([node]), ["alice", "nobody-x"]);
      expect([...found.keys()]).toEqual(["alice"]);
      expect(found.get("alice")?.hbdMillis).toBe(3465);
    }
  });

  test("are read through the older API when a node lacks the newer one", async () => {
    const node = await nodeThat((method) =>
      method === "condenser_api.get_accounts"
        ? { result: [{ ...row, hbd_balance: "0.000 HBD" }] }
        : { error: { code: -32002, message: "Could not find method" } },
    );
    expect((await readAccounts(clientOf([node]), ["alice"])).get("alice")?.hbdMillis).toBe(0);
  });
});
