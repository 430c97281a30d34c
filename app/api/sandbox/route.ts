import type { Sandbox } from "#lib/contract/payment-answers.ts";
import { CodedError } from "#lib/errors.ts";
import { route } from "#lib/services/route.ts";
import { readBalances } from "#lib/x402/account-statement.ts";

/** The sandbox's accounts with their balances, keys and addresses. A server without a sandbox answers 404. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/sandbox", {
  GET: async ({ services: { config, hive } }): Promise<Sandbox> => {
    const { sandbox } = config;
    if (!sandbox) throw new CodedError("not_found");
    const names = sandbox.accounts.map(({ name }) => name);
    const owned = await readBalances(hive, names).catch(() => null);
    const accounts = sandbox.accounts.map((account) => ({
      ...account,
      hbd: owned?.get(account.name) ?? account.hbd,
    }));
    return { ...sandbox, accounts };
  },
});
