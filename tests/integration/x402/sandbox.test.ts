import { describe, expect, test } from "vitest";
import { createPayingFetch } from "#lib/x402/client/index.ts";
import { createFacilitator } from "#lib/x402/facilitator/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { sandbox } from "#lib/x402/sandbox.ts";
import { sandboxAccounts } from "#sandbox/accounts.ts";
import { openShop } from "../../harness/open-shop.ts";

const { shop, serve } = await openShop();

describe("sandbox()", () => {
  test("returns the settings of npm run quickstart", () => {
    expect(sandbox()).toMatchObject({
      ...{ account: "alice", network: "chain:sandbox", nodes: ["http://127.0.0.1:8090"] },
      facilitatorUrl: "http://127.0.0.1:3000/api/x402",
    });
  });

  test.each(sandboxAccounts)("returns the active key of $name", ({ name, keys }) => {
    expect(sandbox({ account: name }).activeKey).toBe(keys.active.privateKey);
  });

  test("can be spread into the options of payer and seller", async () => {
    const [node] = shop.chain.urls;
    const { facilitatorUrl } = shop.price;
    const sale = {
      ...sandbox({ node: node ?? "" }),
      facilitatorUrl,
      amount: "0.050 HBD",
      receivingAccount: "shop",
    };
    const GET = withPaywall(sale, (_request, { payer }) => Response.json({ payer }));
    const url = await serve((request) => GET(request));
    const payingFetch = createPayingFetch({
      ...sandbox({ account: "bob", node: node ?? "" }),
      maxPayment: "0.100 HBD",
    });
    expect(await (await payingFetch(url)).json()).toEqual({ payer: "bob" });
  });

  test("can be spread into the options of a facilitator", async () => {
    const facilitator = createFacilitator({ ...sandbox(), dataDir: "/nowhere" });
    expect(facilitator.supported().kinds).toContainEqual(
      expect.objectContaining({ network: "chain:sandbox" }),
    );
  });

  test("still lets createPayingFetch refuse a misspelt option", () => {
    const options = { ...sandbox(), maxPaymnet: "0.100 HBD" };
    expect(() => createPayingFetch(options)).toThrow("maxPaymnet is no option");
  });

  test("refuses a misspelt option of its own", () => {
    const options = { account: "bob", nodes: ["http://127.0.0.1:8091"] };
    expect(() => sandbox(options)).toThrow("nodes is no option: known are account, gateway, node");
  });

  test.each([{ account: "Not a name" }, { gateway: "localhost:3000" }, { node: "" }])(
    "refuses %j",
    (options) => {
      expect(() => sandbox(options)).toThrow(TypeError);
    },
  );
});
