import { createHmac } from "node:crypto";
import { CodedError } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { log } from "../../log.ts";
import { deriveSecrets, type Secret } from "../../secret.ts";
import type { Store } from "../../store/store.ts";

/**
 * Which chat user belongs to which chain account, kept for ever in the gateway's own store. A name in Mattermost
 * proves nothing, since users can change theirs: only who is bound here is the account's. One to one.
 */
export type Identities = {
  /** The id of the account's chat user, null while it has none. */
  userOf(account: string): Promise<string | null>;
  /** The account of a chat user, null for a user who is bound to none. */
  accountOf(userId: string): Promise<string | null>;
  /** Binds the two. Returns whether they are bound to each other now: false when one of them is another's. */
  bind(account: string, userId: string): Promise<boolean>;
  /** Binds the account to another user than `former`, who is gone. Returns whether they are bound to each other now. */
  rebind(account: string, former: string, userId: string): Promise<boolean>;
  /** The bound accounts, at most `limit`, in no order. */
  list(limit: number): Promise<Array<{ account: string; userId: string }>>;
};

const BY_ACCOUNT = "identity:account:";
const userKeyOf = (account: string) => BY_ACCOUNT + account;
const accountKeyOf = (userId: string) => `identity:user:${userId}`;

/** The bindings in the store; safe for several processes on one store. */
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
      // If one half of a binding was lost, it is restored from the other.
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

/** What mentions everybody, what Mattermost takes for no user's name, and the bots that it makes when it needs them. */
const reserved: readonly string[] = [
  "all",
  "channel",
  "here",
  "matterbot",
  "mattermost-advisor",
  "system",
  "system-bot",
];

/** @throws CodedError `name_reserved` for an account whose name can be no chat user's */
export function assertUnreservedName(account: string): void {
  if (reserved.includes(account)) throw new CodedError("name_reserved");
}

/** Binds chat users that were made without a gateway to their accounts, as their maker names them. */
export async function bindUsers(
  store: Store,
  people: ReadonlyArray<{ name: string; userId: string }>,
): Promise<void> {
  const identities = createIdentities(store);
  try {
    for (const { name, userId } of people) await identities.bind(name, userId);
  } catch (err) {
    log().warn({ err }, "chat users could not be bound to their accounts");
  }
}

/** A mail domain that can't exist: chat users have no mailbox. */
const DOMAIN = "users.hivegate.invalid";
/** 128 bits in hexadecimal: Mattermost turns addresses into lower case. */
const TAG_LENGTH = 32;

/** The mail addresses that the gateway gives to the chat users it makes. */
export type UserAddresses = {
  /**
   * The account's address. It carries a tag that only the session secret makes, and Mattermost takes each address
   * once: while the gateway's user has it nobody else can, and nobody can take it beforehand.
   */
  of(account: string): string;
  /** That one, and what it was under the secret before. */
  allOf(account: string): readonly [string, ...string[]];
  /** What only the gateway can give too: a user has it until everybody else is shut out of it. */
  pendingOf(account: string): string;
  /** The address under the present secret for one that either secret gave the account; null for any other. */
  renewed(account: string, email: string): string | null;
  /** Whether the address is the account's, or its pending one, under either secret. */
  kindOf(account: string, email: string): "own" | "pending" | "other";
  /** The account whose address it is, in any version's form; null for any other address. */
  accountOf(email: string): string | null;
  /** What earlier versions gave: anybody who signs up may choose it, so it proves nothing alone. */
  formerOf(account: string): string;
};

/** The addresses under the session secret. */
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

/** What was done with the service's rights, on whose word. */
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
      /** Giving a found chat user to an account, calling an account's user by its name again, shutting others out. */
      action: "hand_out_user" | "restore_name" | "take_over_user" | "adopt_user";
      account: string;
      userId: string;
      /** The account that the user is bound to. */
      boundTo?: string;
      outcome: "done" | "refused";
    }
  | {
      /** Ending sign-ins of an account: on its own word, because its posting key is another, or its user has more rights now. */
      action: "end_sign_ins";
      account: string;
      userId: string;
      reason: "asked" | "key_changed" | "role_raised";
      ended: number;
      outcome: "done";
    };

/** Writes an act to the audit log: a log line with `audit: true`, whatever `LOG_LEVEL` says. */
export function writeAudit(entry: AuditEntry): void {
  log().child({ audit: true }, { level: "info" }).info(entry, "audit");
}
