import { createHmac } from "node:crypto";
import { CodedError } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { log } from "../../log.ts";
import { deriveSecrets, type Secret } from "../../secret.ts";
import type { Store } from "../../store/store.ts";

/**
 * One-to-one bindings of chat users to chain accounts, stored permanently by the gateway. A username in Mattermost
 * proves nothing, because users can change theirs: only the bound user belongs to the account.
 */
export type Identities = {
  /** Returns the id of the account's chat user, or null if it has none. */
  userOf(account: string): Promise<string | null>;
  /** Returns the account of a chat user, or null for an unbound user. */
  accountOf(userId: string): Promise<string | null>;
  /**
   * Binds the account to the user. Returns whether the two are now bound to each other: false if either is
   * bound elsewhere.
   */
  bind(account: string, userId: string): Promise<boolean>;
  /**
   * Binds the account to a new user in place of `former`, who was deleted. Returns whether the two are bound to each
   * other now.
   */
  rebind(account: string, former: string, userId: string): Promise<boolean>;
  /** Lists up to `limit` bound accounts, in no particular order. */
  list(limit: number): Promise<Array<{ account: string; userId: string }>>;
};

const BY_ACCOUNT = "identity:account:";
const userKeyOf = (account: string) => BY_ACCOUNT + account;
const accountKeyOf = (userId: string) => `identity:user:${userId}`;

/** Creates the access to the bindings in the store, safe for several processes that share it. */
export function createIdentities(store: Store): Identities {
  const userOf = (account: string) => store.get(userKeyOf(account));
  const accountOf = (userId: string) => store.get(accountKeyOf(userId));

  const areBound = async (account: string, userId: string) =>
    (await userOf(account)) === userId && (await accountOf(userId)) === account;

  return {
    userOf,
    accountOf,
    async bind(account, userId) {
      const [user, owner] = await Promise.all([userOf(account), accountOf(userId)]);
      // If one half of a binding was lost, the other half restores it.
      if ((user ?? userId) !== userId || (owner ?? account) !== account) return false;
      if (user !== null && owner !== null) return true;
      const isDone = await store.commit({
        expect: [
          [userKeyOf(account), user],
          [accountKeyOf(userId), owner],
        ],
        set: [
          [userKeyOf(account), userId],
          [accountKeyOf(userId), account],
        ],
      });
      return isDone || areBound(account, userId);
    },
    async rebind(account, former, userId) {
      const [owner, formerOwner] = await Promise.all([accountOf(userId), accountOf(former)]);
      if ((owner ?? account) !== account) return false;
      const isDone = await store.commit({
        expect: [
          [userKeyOf(account), former],
          [accountKeyOf(userId), owner],
          [accountKeyOf(former), formerOwner],
        ],
        set: [
          [userKeyOf(account), userId],
          [accountKeyOf(userId), account],
        ],
        ...(formerOwner === account && { delete: [accountKeyOf(former)] }),
      });
      return isDone || areBound(account, userId);
    },
    async list(limit) {
      const entries = await store.list(BY_ACCOUNT, limit);
      return entries.map(({ key, value }) => ({ account: key.slice(BY_ACCOUNT.length), userId: value }));
    },
  };
}

/**
 * Words that mention everyone, words that Mattermost does not accept as usernames, and names of bots that it
 * creates on demand.
 */
const reserved: readonly string[] = [
  "all",
  "channel",
  "here",
  "matterbot",
  "mattermost-advisor",
  "system",
  "system-bot",
];

/** @throws CodedError `name_reserved` for an account whose name no chat user can have */
export function assertUnreservedName(account: string): void {
  if (reserved.includes(account)) throw new CodedError("name_reserved");
}

/** Binds chat users that were created without a gateway to the accounts that the caller names. */
export async function bindUsers(
  store: Store,
  people: ReadonlyArray<{ name: string; userId: string }>,
): Promise<void> {
  const identities = createIdentities(store);
  try {
    for (const { name, userId } of people) await identities.bind(name, userId);
  } catch (err) {
    log().warn({ err }, "chat users could not be bound to their accounts; the next start tries again");
  }
}

/** A mail domain that cannot exist: chat users have no mailbox. */
const DOMAIN = "users.hivegate.invalid";
/** 128 bits in hexadecimal, because Mattermost lowercases addresses. */
const TAG_LENGTH = 32;

/** The mail addresses of the chat users that the gateway creates. */
export type UserAddresses = {
  /**
   * Returns the account's address. Its tag can only be computed with the session secret, and Mattermost accepts each
   * address once, so no one else can hold or reserve it.
   */
  of(account: string): string;
  /** Returns the account's address under the current secret, then under the former one. */
  allOf(account: string): readonly [string, ...string[]];
  /** Returns the address that a user has during a takeover, until everyone else is locked out. */
  pendingOf(account: string): string;
  /**
   * If `email` was issued to the account under either secret, returns the account's address under the current
   * secret; otherwise null.
   */
  renewed(account: string, email: string): string | null;
  /**
   * Returns whether the address is the account's own or its pending one, under either secret, or another one.
   */
  kindOf(account: string, email: string): "own" | "pending" | "other";
  /** Returns the account of an address in the format of any version, or null for any other address. */
  accountOf(email: string): string | null;
  /**
   * Returns the address that earlier versions issued. Anyone can sign up with it, so it proves nothing on its
   * own.
   */
  formerOf(account: string): string;
};

/** Creates the addresses under the session secret. */
export function createUserAddresses(secret: Secret): UserAddresses {
  const [ownKey, ...formerKeys] = deriveSecrets(secret, "chat user address");
  const addressUnder = (key: Uint8Array, account: string, tagged = account) => {
    const tag = createHmac("sha256", key).update(tagged).digest("hex").slice(0, TAG_LENGTH);
    return `${account}.${tag}@${DOMAIN}`;
  };
  const pendingUnder = (key: Uint8Array, account: string) => addressUnder(key, account, `pending ${account}`);
  const kindOf: UserAddresses["kindOf"] = (account, email) => {
    const keys = [ownKey, ...formerKeys];
    if (keys.some((key) => addressUnder(key, account) === email)) return "own";
    return keys.some((key) => pendingUnder(key, account) === email) ? "pending" : "other";
  };
  return {
    of: (account) => addressUnder(ownKey, account),
    allOf: (account) => [
      addressUnder(ownKey, account),
      ...formerKeys.map((key) => addressUnder(key, account)),
    ],
    pendingOf: (account) => pendingUnder(ownKey, account),
    renewed(account, email) {
      const kind = kindOf(account, email);
      if (kind === "other") return null;
      return kind === "own" ? addressUnder(ownKey, account) : pendingUnder(ownKey, account);
    },
    kindOf,
    accountOf(email) {
      const [name = "", domain] = email.split("@");
      const tagged = name.replace(/\.[0-9a-f]{32}$/, "");
      if (domain !== DOMAIN || !isAccountName(tagged)) return null;
      return tagged === name || kindOf(tagged, email) !== "other" ? tagged : null;
    },
    formerOf: (account) => `${account}@${DOMAIN}`,
  };
}

/** An action taken with the service's rights, and the evidence for it. */
type AuditEntry =
  | {
      action: "delete_post";
      community: string;
      account: string;
      channelId: string;
      postId: string;
      requestId: string;
      outcome: "done" | "failed";
    }
  | {
      /** Assigning a found chat user to an account, restoring its username, or locking others out of it. */
      action: "hand_out_user" | "restore_name" | "take_over_user" | "adopt_user";
      account: string;
      userId: string;
      /** The account that the user is bound to. */
      boundTo?: string;
      outcome: "done" | "refused";
    }
  | {
      /**
       * Ending sign-ins of an account, because the account requested it, its posting key changed, or its user
       * became staff.
       */
      action: "end_sign_ins";
      account: string;
      userId: string;
      reason: "asked" | "key_changed" | "role_raised";
      ended: number;
      outcome: "done";
    };

/** Writes an action to the audit log: a log line with `audit: true`, whatever `LOG_LEVEL` is. */
export function writeAudit(entry: AuditEntry): void {
  log().child({ audit: true }, { level: "info" }).info(entry, "audit");
}
