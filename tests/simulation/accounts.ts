import dhive from "@hiveio/dhive";

/** An account of the simulated chain with its single key. */
export type Account = { name: string; wif: string; publicKey: string; publicKeyBytes: Uint8Array };

function createAccount(name: string): Account {
  const key = dhive.PrivateKey.fromLogin(name, "simulation", "active");
  const publicKey = key.createPublic("STM");
  return {
    name,
    wif: key.toString(),
    publicKey: publicKey.toString(),
    publicKeyBytes: Uint8Array.from((publicKey as unknown as { key: Buffer }).key),
  };
}

/** alice pays, shop sells, and mallory signs transfers of other accounts' money. */
export const accounts = {
  alice: createAccount("alice"),
  shop: createAccount("shop"),
  mallory: createAccount("mallory"),
};

/** Returns accounts as a node reports them. `key` replaces everyone's key. */
export function accountsOf(names: unknown, balanceOf: (name: string) => number, key?: string) {
  return (names as string[]).flatMap((name) => {
    const account = accounts[name as keyof typeof accounts];
    if (!account) return [];
    const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key ?? account.publicKey, 1]] };
    const hbd_balance = { amount: String(balanceOf(name)), precision: 3, nai: "@@000000013" };
    return [{ name, owner: authority, active: authority, posting: authority, hbd_balance }];
  });
}
