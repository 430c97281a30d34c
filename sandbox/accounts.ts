import dhive from "@hiveio/dhive";
import { type Mils, readMils } from "../lib/mils.ts";

/**
 * The password from which every key of the sandbox is derived, together with the account's name and the role.
 */
const PASSWORD = "sandbox";

const roles = ["owner", "active", "posting", "memo"] as const;
export type KeyRole = (typeof roles)[number];

export type SandboxAccount = {
  name: string;
  hbdMils: Mils;
  /** Private keys in wallet import format, and public keys as the chain writes them. */
  keys: Record<KeyRole, { privateKey: string; publicKey: string }>;
};

export type SandboxCommunity = {
  name: string;
  title: string;
  about: string;
  roles: ReadonlyArray<readonly [account: string, role: "owner" | "admin" | "mod" | "member"]>;
  subscribers: readonly string[];
};

function deriveKeys(name: string): SandboxAccount["keys"] {
  const keys = roles.map((role) => {
    const key = dhive.PrivateKey.fromLogin(name, PASSWORD, role);
    return [role, { privateKey: key.toString(), publicKey: key.createPublic().toString() }] as const;
  });
  return Object.fromEntries(keys) as SandboxAccount["keys"];
}

/** Derives an account with its keys from a name. `balance` is text such as "0.050 HBD". */
export function deriveAccount(name: string, balance = "0.000 HBD"): SandboxAccount {
  return { name, hbdMils: readMils(balance), keys: deriveKeys(name) };
}

/** The people of the sandbox. Their keys are public and worthless elsewhere. */
export const sandboxAccounts: readonly SandboxAccount[] = [
  deriveAccount("alice", "100.000 HBD"),
  deriveAccount("bob", "50.000 HBD"),
  deriveAccount("carol", "10.000 HBD"),
  deriveAccount("dave"),
  deriveAccount("erin", "1.000 HBD"),
  deriveAccount("shop"),
];

export const sandboxCommunities: readonly SandboxCommunity[] = [
  {
    name: "hive-100001",
    title: "Photography",
    about: "Pictures and how they were taken",
    roles: [
      ["alice", "owner"],
      ["carol", "mod"],
    ],
    subscribers: ["alice", "bob", "carol"],
  },
  {
    name: "hive-100002",
    title: "Hive Developers",
    about: "Building on the chain",
    roles: [
      ["bob", "owner"],
      ["alice", "admin"],
    ],
    subscribers: ["alice", "bob", "carol", "erin"],
  },
  {
    name: "hive-100003",
    title: "Quiet Corner",
    about: "Nobody here yet",
    roles: [["carol", "owner"]],
    subscribers: [],
  },
];
