import type { z } from "zod";
import { processWide } from "./async/process-wide.ts";
import { MAINNET_CHAIN_ID, networkNames } from "./chains.ts";
import { KeyFileError, type KeyForm, readKeyFile } from "./key-file.ts";
import { Secret } from "./secret.ts";
import { Settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The sandbox's settings for a gateway that runs on it; `hbd` is the accounts' initial balance. */
export type SandboxInfo = {
  accounts: ReadonlyArray<{ name: string; hbd: string; keys: Readonly<Record<string, string>> }>;
  chat: { url: string; teamId: string } | null;
  chain: { url: string; chainId: string } | null;
};

export type TracingSettings = Readonly<{
  /** The collector's address without `/v1/traces`. */
  endpoint: string;
  headers: Secret | null;
  serviceName: string;
  /** The traced share of requests, unless a trusted caller decides. */
  ratio: number;
}>;

export type StoreSettings =
  | { kind: "sqlite"; dataDir: string }
  | { kind: "redis"; url: Secret }
  | { kind: "upstash"; url: string; token: Secret };

export type Config = Readonly<{
  /** Set only on the sandbox, whose cookies use plain http and whose private keys are published. */
  sandbox: SandboxInfo | null;
  host: string;
  port: number;
  publicUrl: string;
  /** True if the operator set it explicitly. */
  isPublicUrlSet: boolean;
  /** The address of this server's source that the operator set; null to use that of the checkout. */
  sourceUrl: string | null;
  allowedOrigins: readonly string[];
  chat: Readonly<{ baseUrl: string; adminToken: Secret; teamId: string }>;
  hive: Readonly<{ nodes: readonly string[]; chainId: string; quorum: 1 | 2 }>;
  /** Contains the previous secret too while it is being replaced. */
  sessionSecret: Secret;
  /** Apps that are allowed to sign access tokens themselves. */
  appIds: readonly string[];
  accessTokenMaxAgeSeconds: number;
  /** The app for which HiveSigner signs people in, or null. */
  hivesignerApp: string | null;
  /** The address of HiveAuth's relay, or null. */
  hiveAuthRelay: string | null;
  externalIssuer: Readonly<{ jwksUrl: string; issuer: string; audience: string }> | null;
  store: StoreSettings;
  dataDir: string;
  x402: Readonly<{
    network: string;
    facilitatorUrl: string | null;
    /** The default payee of paid routes. */
    account: string | null;
    /** The key that signs offers and receipts, and the public names of former ones; null to sign nothing. */
    signing: Readonly<{ key: Secret; formerKeys: readonly string[] }> | null;
    /** True to owe transfers to `account` back that bought nothing. */
    sweeps: boolean;
  }>;
  logLevel: string;
  metricsToken: Secret | null;
  /** Null without a collector. */
  tracing: TracingSettings | null;
  /** Settings for pictures and pages of other servers. */
  outside: Readonly<{ isFetched: boolean; privateHosts: readonly string[] }>;
  /** The private hosts are apart from those of pictures: any payer can have these asked. */
  catalogue: Readonly<{ asksOthers: boolean; privateHosts: readonly string[] }>;
  /**
   * The host of public channels' pictures; null if Mattermost stores all pictures. Its address can contain a
   * token.
   */
  imageHost: Readonly<{ url: Secret; signer: Readonly<{ account: string; key: Secret }> | null }> | null;
  /** The translator of messages, or null. */
  translator: Readonly<{ url: string; key: Secret | null }> | null;
  rateLimits: boolean;
  trustProxy: number;
  /** The number of processes that share the port. */
  workers: number;
}>;

const PUBLIC_RELAY = "wss://hive-auth.arcange.eu";
/** Settings whose empty text differs from a missing one. */
const emptyable: readonly string[] = ["HAS_URL"];

/** Thrown for all wrong and missing settings at once; `message` can be shown to the operator. */
export class ConfigError extends Error {
  readonly faults: ReadonlyArray<{ setting: string; problem: string }>;

  /** @param isGateways - true if the message should suggest the sandbox */
  constructor(faults: ReadonlyArray<{ setting: string; problem: string }>, isGateways = true) {
    const lines = faults.map(({ setting, problem }) => `  ${setting}: ${problem}`);
    super(
      [
        "Hivegate can't start: these settings are missing or wrong.",
        ...lines,
        `Set them in .env or in the environment; .env.example explains each.${isGateways ? " Or try everything without settings: npm start -- --sandbox" : ""}`,
      ].join("\n"),
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/**
 * Validates all settings together.
 * @throws ConfigError that names every fault
 */
export function loadConfig(environment: Environment, sandbox: SandboxInfo | null = null): Config {
  return Object.freeze(toConfig(readSettings(Settings, environment), sandbox));
}

/**
 * Groups of settings of which all must be set, or none. Without `iss` and `aud`, any token of any app with
 * those keys would be accepted.
 */
const together = [
  ["CHAT_BASE_URL", "CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["AUTH_JWKS_URL", "AUTH_ISSUER", "AUTH_AUDIENCE"],
  ["IMAGE_UPLOAD_ACCOUNT", "IMAGE_UPLOAD_KEY"],
] as const;

/**
 * Reads the settings of a schema.
 * @throws ConfigError that names every fault
 */
export function readSettings<S extends z.ZodObject>(schema: S, environment: Environment): z.output<S> {
  const set = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const text = environment[name]?.trim();
      return text || (text === "" && emptyable.includes(name)) ? [[name, text]] : [];
    }),
  );
  const parsed = schema.safeParse(set);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => faultOf(issue, set));
  for (const group of together) {
    const missing = group.filter((name) => !set[name]);
    if (missing.length === group.length) continue;
    for (const setting of missing.filter((name) => !faults.some((fault) => fault.setting === name)))
      faults.push({ setting, problem: `is needed: ${group.join(", ")} go together` });
  }
  if (parsed.success) faults.push(...contradictionsIn(set));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults, "CHAT_BASE_URL" in schema.shape);
  return parsed.data;
}

/** Returns the faults of settings that contradict each other, such as a chain and its network. */
function contradictionsIn({
  HIVE_CHAIN_ID = MAINNET_CHAIN_ID,
  HIVE_NODES,
  X402_NETWORK,
  SESSION_SECRET,
  SESSION_SECRET_PREVIOUS,
  IMAGE_UPLOAD_URL,
  IMAGE_UPLOAD_ACCOUNT,
  PUBLIC_URL,
  X402_SIGNING_KEY,
  X402_SIGNING_KEY_FILE,
  X402_FORMER_KEYS,
  X402_SWEEP,
  PAYWALL_ACCOUNT,
  FACILITATOR_URL,
}: Record<string, string>) {
  const signs = X402_SIGNING_KEY !== undefined || X402_SIGNING_KEY_FILE !== undefined;
  const names = networkNames(HIVE_CHAIN_ID);
  const problem = `is not the network of HIVE_CHAIN_ID: that is ${names.join(" or ")}. Leave it out, or correct one of the two`;
  return [
    ...(X402_NETWORK && !names.includes(X402_NETWORK) ? [{ setting: "X402_NETWORK", problem }] : []),
    ...(HIVE_CHAIN_ID !== MAINNET_CHAIN_ID && !HIVE_NODES
      ? [
          {
            setting: "HIVE_NODES",
            problem: "is needed with this HIVE_CHAIN_ID: the default nodes are of the main chain",
          },
        ]
      : []),
    ...(IMAGE_UPLOAD_ACCOUNT !== undefined && IMAGE_UPLOAD_URL === undefined
      ? [{ setting: "IMAGE_UPLOAD_URL", problem: "is needed with IMAGE_UPLOAD_ACCOUNT" }]
      : []),
    ...(X402_SIGNING_KEY !== undefined && X402_SIGNING_KEY_FILE !== undefined
      ? [{ setting: "X402_SIGNING_KEY", problem: "is set beside X402_SIGNING_KEY_FILE: leave one out" }]
      : []),
    ...(X402_FORMER_KEYS !== undefined && !signs
      ? [{ setting: "X402_SIGNING_KEY_FILE", problem: "is needed with X402_FORMER_KEYS" }]
      : []),
    ...(X402_SWEEP === "on" && PAYWALL_ACCOUNT === undefined
      ? [{ setting: "PAYWALL_ACCOUNT", problem: "is needed with X402_SWEEP" }]
      : []),
    ...(X402_SWEEP === "on" && FACILITATOR_URL !== undefined
      ? [
          {
            setting: "X402_SWEEP",
            problem:
              "must be off with FACILITATOR_URL, because only a facilitator knows which transfers have bought something",
          },
        ]
      : []),
    ...(signs && PUBLIC_URL !== undefined && new URL(PUBLIC_URL).hostname.startsWith("[")
      ? [
          {
            setting: "PUBLIC_URL",
            problem:
              "must have a name or an IPv4 address if offers are signed, because no key can be named after it",
          },
        ]
      : []),
    ...(SESSION_SECRET_PREVIOUS !== undefined && SESSION_SECRET_PREVIOUS === SESSION_SECRET
      ? [
          {
            setting: "SESSION_SECRET_PREVIOUS",
            problem: "is SESSION_SECRET itself: make a new one for that, or leave this out",
          },
        ]
      : []),
  ];
}

/** Returns the network name that payments use for the configured chain. */
export function networkOf({
  HIVE_CHAIN_ID,
  X402_NETWORK,
}: Pick<z.infer<typeof Settings>, "HIVE_CHAIN_ID" | "X402_NETWORK">): string {
  return X402_NETWORK ?? networkNames(HIVE_CHAIN_ID)[0];
}

function faultOf(issue: z.core.$ZodIssue, set: Record<string, string>) {
  const setting = String(issue.path[0]);
  const meaning = Settings.shape[setting as keyof typeof Settings.shape]?.description ?? "";
  return { setting, problem: set[setting] === undefined ? `is missing: ${meaning}` : issue.message };
}

function toConfig(settings: z.infer<typeof Settings>, sandbox: SandboxInfo | null): Config {
  return {
    sandbox,
    host: settings.HOST ?? (sandbox ? "127.0.0.1" : "0.0.0.0"),
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    isPublicUrlSet: settings.PUBLIC_URL !== undefined,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    chat: {
      baseUrl: settings.CHAT_BASE_URL,
      adminToken: new Secret(settings.CHAT_ADMIN_TOKEN),
      teamId: settings.CHAT_TEAM_ID,
    },
    hive: {
      nodes: settings.HIVE_NODES,
      chainId: settings.HIVE_CHAIN_ID,
      quorum: settings.HIVE_QUORUM,
    },
    sessionSecret: new Secret(settings.SESSION_SECRET, previousOf(settings)),
    appIds: appIdsOf(settings, sandbox !== null),
    accessTokenMaxAgeSeconds: settings.ACCESS_TOKEN_MAX_AGE,
    hivesignerApp: settings.HIVESIGNER_APP ?? null,
    hiveAuthRelay: hiveAuthRelayOf(settings),
    externalIssuer: externalIssuerOf(settings),
    store: storeOf(settings),
    dataDir: settings.DATA_DIR,
    x402: {
      network: networkOf(settings),
      facilitatorUrl: settings.FACILITATOR_URL ?? null,
      account: settings.PAYWALL_ACCOUNT ?? null,
      signing: signingOf(settings),
      sweeps: settings.X402_SWEEP === "on",
    },
    logLevel: settings.LOG_LEVEL,
    metricsToken: settings.METRICS_TOKEN ? new Secret(settings.METRICS_TOKEN) : null,
    tracing: tracingOf(settings),
    outside: {
      isFetched: settings.OUTSIDE_FETCH === "on",
      privateHosts: settings.OUTSIDE_PRIVATE_HOSTS,
    },
    catalogue: catalogueOf(settings),
    imageHost: imageHostOf(settings),
    translator: settings.TRANSLATE_URL
      ? {
          url: settings.TRANSLATE_URL,
          key: settings.TRANSLATE_KEY ? new Secret(settings.TRANSLATE_KEY) : null,
        }
      : null,
    sourceUrl: settings.SOURCE_URL ?? null,
    rateLimits: settings.RATE_LIMITS === "on",
    trustProxy: settings.TRUST_PROXY,
    workers: settings.WORKERS,
  };
}

/**
 * Returns the apps whose self-signed access tokens are accepted. An id shared by several gateways would let
 * each of them sign users in at the others, so the default is unique to this gateway.
 */
function appIdsOf(
  { CHAT_APP_IDS, PUBLIC_URL, PORT }: z.infer<typeof Settings>,
  isSandbox: boolean,
): readonly string[] {
  if (CHAT_APP_IDS) return CHAT_APP_IDS;
  if (PUBLIC_URL) return [new URL(PUBLIC_URL).host];
  return isSandbox ? [`localhost:${PORT}`] : [];
}

/** Returns the relay of HiveAuth. The public one knows the accounts of the main chain only. */
function hiveAuthRelayOf({ HAS_URL, HIVE_CHAIN_ID }: z.infer<typeof Settings>): string | null {
  const usual = HIVE_CHAIN_ID === MAINNET_CHAIN_ID ? PUBLIC_RELAY : "";
  return (HAS_URL ?? usual) || null;
}

function previousOf({ SESSION_SECRET_PREVIOUS: previous }: z.infer<typeof Settings>): Secret | null {
  return previous === undefined ? null : new Secret(previous);
}

function signingOf(settings: z.infer<typeof Settings>): Config["x402"]["signing"] {
  const { X402_SIGNING_KEY: given, X402_SIGNING_KEY_FILE: path, X402_FORMER_KEYS: formerKeys } = settings;
  const form = { pattern: /^[0-9a-f]{64}$/i, problem: "must hold 64 hex digits: openssl rand -hex 32" };
  const key = given ?? (path && keyInFile("X402_SIGNING_KEY_FILE", path, form));
  return key ? { key: new Secret(key), formerKeys } : null;
}

/** Returns the key in the file that a setting names. @throws ConfigError if there is none */
export function keyInFile(setting: string, path: string, form: KeyForm): string {
  try {
    return readKeyFile(path, form);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new ConfigError([{ setting, problem: error.message }], false);
  }
}

function imageHostOf(settings: z.infer<typeof Settings>): Config["imageHost"] {
  const { IMAGE_UPLOAD_URL: url, IMAGE_UPLOAD_ACCOUNT: account, IMAGE_UPLOAD_KEY: key } = settings;
  if (url === undefined) return null;
  return { url: new Secret(url), signer: account && key ? { account, key: new Secret(key) } : null };
}

function externalIssuerOf(settings: z.infer<typeof Settings>): Config["externalIssuer"] {
  const { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = settings;
  return jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : null;
}

/** Returns the configured target for traces, or null if there is none. */
export function tracingOf(
  settings: Pick<
    z.infer<typeof Settings>,
    | "OTEL_EXPORTER_OTLP_ENDPOINT"
    | "OTEL_EXPORTER_OTLP_HEADERS"
    | "OTEL_SERVICE_NAME"
    | "OTEL_TRACES_SAMPLER_ARG"
  >,
): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return null;
  return {
    endpoint,
    headers: headers === undefined ? null : new Secret(headers),
    serviceName: settings.OTEL_SERVICE_NAME,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
  };
}

export const catalogueOf = (
  settings: Pick<z.infer<typeof Settings>, "OUTSIDE_FETCH" | "CATALOGUE_PRIVATE_HOSTS">,
): Config["catalogue"] => ({
  asksOthers: settings.OUTSIDE_FETCH === "on",
  privateHosts: settings.CATALOGUE_PRIVATE_HOSTS,
});

/** Returns the configured store. */
export function storeOf(
  settings: Pick<
    z.infer<typeof Settings>,
    "REDIS_URL" | "UPSTASH_REDIS_REST_URL" | "UPSTASH_REDIS_REST_TOKEN" | "DATA_DIR"
  >,
): StoreSettings {
  if (settings.REDIS_URL) return { kind: "redis", url: new Secret(settings.REDIS_URL) };
  if (settings.UPSTASH_REDIS_REST_URL && settings.UPSTASH_REDIS_REST_TOKEN)
    return {
      kind: "upstash",
      url: settings.UPSTASH_REDIS_REST_URL,
      token: new Secret(settings.UPSTASH_REDIS_REST_TOKEN),
    };
  return { kind: "sqlite", dataDir: settings.DATA_DIR };
}

/** Returns the process's environment. Nothing else reads it. */
export function environment(): Environment {
  return process.env;
}

/** Sets the empty or missing variables of the environment, and returns their names. */
export function completeEnvironment(values: Readonly<Record<string, string>>): string[] {
  const missing = Object.entries(values).filter(([name, value]) => value && !process.env[name]);
  Object.assign(process.env, Object.fromEntries(missing));
  return missing.map(([name]) => name);
}

/**
 * Returns the process's only configuration. `server.ts` can pass one before the first use, because the
 * sandbox creates its settings at run time.
 */
export function currentConfig(given?: Config): Config {
  return processWide("config", () => given ?? loadConfig(environment()));
}
