import {
  ConfigError,
  type Environment,
  keyInFile,
  readSettings,
  type StoreSettings,
  storeOf,
} from "./config.ts";
import { Secret } from "./secret.ts";
import { Settings } from "./settings.ts";

/** The configuration of the command that refunds payments, without the chat. */
export type RefundConfig = Readonly<{
  /** The account that was paid, and pays back. */
  account: string;
  /** Its active key, or the file that holds the key. */
  key: { kind: "given"; key: Secret } | { kind: "file"; path: string };
  hive: Readonly<{ nodes: readonly string[]; chainId: string }>;
  store: StoreSettings;
}>;

/** Settings of the command that refunds payments. */
const RefundSettings = Settings.pick({
  HIVE_NODES: true,
  HIVE_CHAIN_ID: true,
  REDIS_URL: true,
  UPSTASH_REDIS_REST_URL: true,
  UPSTASH_REDIS_REST_TOKEN: true,
  DATA_DIR: true,
  REFUND_KEY: true,
  REFUND_KEY_FILE: true,
}).extend({ PAYWALL_ACCOUNT: Settings.shape.PAYWALL_ACCOUNT.unwrap() });

/**
 * Validates the settings of the command that refunds payments.
 * @throws ConfigError that names every fault
 */
export function loadRefundConfig(environment: Environment): RefundConfig {
  const settings = readSettings(RefundSettings, environment);
  return Object.freeze({
    account: settings.PAYWALL_ACCOUNT,
    key: keyOf(settings),
    hive: { nodes: settings.HIVE_NODES, chainId: settings.HIVE_CHAIN_ID },
    store: storeOf(settings),
  });
}

/** Returns the key. @throws ConfigError if its file holds none */
export const revealKey = (key: RefundConfig["key"]): string =>
  key.kind === "given"
    ? key.key.reveal()
    : keyInFile("REFUND_KEY_FILE", key.path, {
        pattern: /^5[1-9A-HJ-NP-Za-km-z]{50}$/,
        problem: "must hold a private active key: 51 characters, starting with 5",
      });

function keyOf({
  REFUND_KEY: key,
  REFUND_KEY_FILE: path,
}: {
  REFUND_KEY?: string | undefined;
  REFUND_KEY_FILE?: string | undefined;
}): RefundConfig["key"] {
  if (key !== undefined && path === undefined) return { kind: "given", key: new Secret(key) };
  if (key === undefined && path !== undefined) return { kind: "file", path };
  const problem =
    key === undefined ? "is needed, or REFUND_KEY_FILE" : "is set beside REFUND_KEY_FILE: leave one out";
  throw new ConfigError([{ setting: "REFUND_KEY", problem }], false);
}
