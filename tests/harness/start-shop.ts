import { networkNames } from "../../lib/chains.ts";
import { createPayingFetch, type PayingFetchOptions, signPayment } from "../../lib/x402/client/index.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { offerOf } from "./ask-paid.ts";
import { balancesOf } from "./balances-of.ts";
import { serveFacilitator } from "./serve-facilitator.ts";
import { startFacilitator } from "./start-facilitator.ts";
import { startSandboxChain } from "./start-sandbox-chain.ts";

/** Returns the private key of a sandbox account as its owner would type it. */
export function wifOf(name: string, role: "active" | "posting" | "owner" = "active"): string {
  const account = sandboxAccounts.find((one) => one.name === name);
  if (!account) throw new Error(`no account ${name}`);
  return account.keys[role].privateKey;
}

export type Shop = Awaited<ReturnType<typeof startShop>>;

/**
 * Starts a chain, by default with a block every 100 ms, a facilitator behind HTTP, and the parts of a paywall
 * that sells through it.
 */
export async function startShop(options: Parameters<typeof startSandboxChain>[0] = {}) {
  const chain = await startSandboxChain({ blockIntervalMs: 100, ...options });
  const facilitator = await startFacilitator(chain);
  await facilitator.recover();
  const door = await serveFacilitator(facilitator);
  const purse = (account = "alice") => ({
    account,
    activeKey: wifOf(account),
    nodes: chain.urls,
    chainId: chain.chainId,
  });
  return {
    chain,
    facilitator,
    door,
    /** Options of a paywall that charges 0.050 HBD for `shop`. */
    price: {
      amount: "0.050 HBD",
      receivingAccount: "shop",
      facilitatorUrl: door.url,
      network: networkNames(chain.chainId)[0],
    },
    /** Options of a client that pays from an account on this chain. */
    purse,
    payer: (options: Partial<PayingFetchOptions> = {}, account = "alice") =>
      createPayingFetch({ ...purse(account), ...options } as PayingFetchOptions),
    /** Creates alice's payment header for an address's offer. */
    payFor: async (url: string, init?: RequestInit) =>
      signPayment({ ...purse(), requirements: await offerOf(await fetch(url, init)) }),
    balances: () => balancesOf(chain),
    async close() {
      await door.close();
      await facilitator.close();
      await chain.close();
    },
  };
}
