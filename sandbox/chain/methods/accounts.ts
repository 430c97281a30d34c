import { renderAccount } from "../render/account.ts";
import type { Form } from "../render/asset.ts";
import type { Context } from "./method.ts";

/** The accounts of these names in their order, repeated where repeated; unknown names are left out. */
export function findAccounts({ chain }: Context, names: readonly string[], form: Form) {
  const { accounts } = chain.pending();
  const view = { form, symbols: chain.symbols, now: chain.head().time };
  return names.flatMap((name) => {
    const account = accounts.get(name);
    return account ? [renderAccount(account, view)] : [];
  });
}

/** The names from `start` on, in the order of the alphabet. */
export function namesFrom({ chain }: Context, start: string, limit: number): string[] {
  const names = [...chain.pending().accounts.keys()].sort();
  return names.filter((name) => name >= start).slice(0, limit);
}

/** For each key the accounts that have it in one of their authorities; memo keys don't count. */
export function keyReferences({ chain }: Context, keys: readonly string[]): string[][] {
  const accounts = [...chain.pending().accounts.values()];
  return keys.map((wanted) =>
    accounts
      .filter(({ owner, active, posting }) =>
        [owner, active, posting].some(({ key_auths }) => key_auths.some(([key]) => key === wanted)),
      )
      .map(({ name }) => name),
  );
}
