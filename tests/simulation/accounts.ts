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

/**
 * alice pays, carol pays what dave approves, erin and frank send transfers from wallets, shop sells, and mallory signs
 * transfers of other accounts' money.
 */
export const accounts = {
  alice: createAccount("alice"),
  carol: createAccount("carol"),
  dave: createAccount("dave"),
  erin: createAccount("erin"),
  frank: createAccount("frank"),
  shop: createAccount("shop"),
  mallory: createAccount("mallory"),
};

const ownerPostingKey = dhive.PrivateKey.fromLogin("dave", "simulation", "posting");
/** The key by which dave approves. All other accounts have the same key for everything. */
export const ownerPostingWif = ownerPostingKey.toString();
const ownerPostingPublicKey = ownerPostingKey.createPublic("STM").toString();

/** Returns accounts as a node reports them. `key` replaces everyone's key. */
export function accountsOf(names: unknown, balanceOf: (name: string) => number, key?: string) {
  return (names as string[]).flatMap((name) => {
    const account = accounts[name as keyof typeof accounts];
    if (!account) return [];
    const authority = authorityOf(key ?? account.publicKey);
    const posting = name === "dave" ? authorityOf(key ?? ownerPostingPublicKey) : authority;
    const hbd_balance = { amount: String(balanceOf(name)), precision: 3, nai: "@@000000013" };
    return [{ name, owner: authority, active: authority, posting, hbd_balance }];
  });
}

const authorityOf = (key: string) => ({ weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });
