import { z } from "zod";
import { processWide } from "./process-wide.ts";
import { Secret } from "./secret.ts";

const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;

const DEFAULT_NODES = [
  "https://api.hive.blog",
  "https://api.openhive.network",
  "https://api.deathwing.me",
  "https://techcoderx.com",
  "https://rpc.mahdiyari.info",
].join(",");

const isUrl = (protocols: readonly string[]) => (text: string) => {
  try {
    return protocols.includes(new URL(text).protocol);
  } catch {
    return false;
  }
};

const httpUrl = z
  .string()
  .refine(isUrl(["http:", "https:"]), "must be an http:// or https:// address")
  .transform((text) => text.replace(/\/+$/, ""));

const list = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const port = z.coerce.number().int().min(0).max(65_535);

/** Every setting: what it means (`describe`), how it is checked, and its default. The settings table and `.env.example` are made from it. */
export const Settings = z.object({
  CHAT_BASE_URL: httpUrl.describe(
    "REST base address of the Mattermost server, with its version segment: https://chat.example.com/api/v4",
  ),
  CHAT_ADMIN_TOKEN: z
    .string()
    .regex(/^[a-z0-9]{26}$/, "must be a Mattermost personal access token (26 letters and digits)")
    .describe(
      "personal access token of a Mattermost system admin; users, members and channels are made with it",
    ),
  CHAT_TEAM_ID: z
    .string()
    .regex(/^[a-z0-9]{26}$/, "must be a Mattermost team id (26 letters and digits)")
    .describe("id of the team in which the channels live"),
  HIVE_NODES: z
    .string()
    .default(DEFAULT_NODES)
    .transform(list)
    .pipe(z.array(httpUrl).min(1, "must name at least one node"))
    .describe("Hive API nodes, comma separated, in order of preference"),
  HIVE_CHAIN_ID: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hex digits")
    .default(MAINNET_CHAIN_ID)
    .describe("id of the chain that signatures are made for"),
  SESSION_SECRET: z
    .string()
    .min(32, "must have 32 characters or more: openssl rand -hex 32")
    .describe("encrypts sessions and stored chat tokens and signs what the paywall offers; keep it"),
  PUBLIC_URL: httpUrl.optional().describe("address under which browsers reach this server"),
  ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform(list)
    .pipe(
      z.array(
        z.string().refine(isUrl(["http:", "https:"]), "must be origins such as https://app.example.com"),
      ),
    )
    .describe("origins, comma separated, that may use the cookie from another site"),
  CHAT_APP_IDS: z
    .string()
    .default("hivegate")
    .transform(list)
    .pipe(z.array(z.string()).min(1, "must name at least one app"))
    .describe("apps, comma separated, whose access tokens are accepted"),
  ACCESS_TOKEN_MAX_AGE: z.coerce
    .number()
    .int()
    .positive()
    .default(604_800)
    .describe("oldest access token that is accepted, in seconds"),
  AUTH_JWKS_URL: httpUrl.optional().describe("public keys of an outside token issuer, optional"),
  AUTH_ISSUER: z
    .string()
    .min(1)
    .optional()
    .describe("`iss` of the outside issuer's tokens, needed with the keys"),
  AUTH_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe("`aud` of the outside issuer's tokens, needed with the keys: those for other apps are refused"),
  REDIS_URL: z
    .string()
    .refine(isUrl(["redis:", "rediss:"]), "must be a redis:// or rediss:// address")
    .optional()
    .describe("Redis for payments, tokens and sessions; needed when several processes serve"),
  UPSTASH_REDIS_REST_URL: httpUrl.optional().describe("Redis over REST, instead of REDIS_URL"),
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1).optional().describe("token of the REST Redis"),
  DATA_DIR: z.string().min(1).default(".data").describe("folder of the SQLite files"),
  X402_NETWORK: z
    .string()
    .regex(/^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,64}$/, "must look like chain:mainnet")
    .default("chain:mainnet")
    .describe("network id in payment requirements"),
  FACILITATOR_URL: httpUrl
    .optional()
    .describe("facilitator that settles for the paywalls; this app's own by default"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("what is logged"),
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe(
      "bearer token of /api/metrics (of the facilitator alone: /metrics); without it the route is 404",
    ),
  RATE_LIMITS: z.enum(["on", "off"]).default("on").describe("`off` for benchmarks and tests"),
  TRUST_PROXY: z.coerce
    .number()
    .int()
    .min(0)
    .max(9)
    .default(0)
    .describe("number of own reverse proxies in front, whose X-Forwarded-For entries are believed"),
  PORT: port.default(3000).describe("port to listen on"),
  HOST: z
    .string()
    .min(1)
    .optional()
    .describe("address to listen on: 127.0.0.1 on the sandbox, 0.0.0.0 otherwise"),
});

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the sandbox tells of itself at `GET /api/sandbox`; `hbd` as the accounts begin with. */
export type SandboxInfo = {
  accounts: ReadonlyArray<{ name: string; hbd: string; keys: Readonly<Record<string, string>> }>;
  chat: { url: string; teamId: string } | null;
  chain: { url: string; chainId: string } | null;
};

export type StoreSettings =
  | { kind: "sqlite"; dataDir: string }
  | { kind: "redis"; url: Secret }
  | { kind: "upstash"; url: string; token: Secret };

export type Config = Readonly<{
  /** Set on the sandbox only: cookies go over plain http there and the accounts' keys are public. */
  sandbox: SandboxInfo | null;
  host: string;
  port: number;
  publicUrl: string;
  allowedOrigins: readonly string[];
  chat: Readonly<{ baseUrl: string; adminToken: Secret; teamId: string }>;
  hive: Readonly<{ nodes: readonly string[]; chainId: string }>;
  sessionSecret: Secret;
  appIds: readonly string[];
  accessTokenMaxAgeSeconds: number;
  outsideIssuer: Readonly<{ jwksUrl: string; issuer: string; audience: string }> | null;
  store: StoreSettings;
  dataDir: string;
  x402: Readonly<{ network: string; facilitatorUrl: string | null }>;
  logLevel: string;
  metricsToken: Secret | null;
  rateLimits: boolean;
  trustProxy: number;
}>;

/** Thrown with every wrong or missing setting at once; `message` is fit to be shown to the operator. */
export class ConfigError extends Error {
  readonly faults: ReadonlyArray<{ setting: string; problem: string }>;

  constructor(faults: ReadonlyArray<{ setting: string; problem: string }>) {
    const lines = faults.map(({ setting, problem }) => `  ${setting}: ${problem}`);
    super(
      [
        "Hivegate can't start: these settings are missing or wrong.",
        ...lines,
        "Set them in the environment (see .env.example), or try everything without settings: npm start -- --sandbox",
      ].join("\n"),
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/**
 * Validates all settings together.
 * @throws ConfigError naming every fault.
 */
export function loadConfig(environment: Environment, sandbox: SandboxInfo | null = null): Config {
  return Object.freeze(toConfig(readSettings(Settings, environment), sandbox));
}

/** Either all of a group are set or none. Without `iss` and `aud` any token of any app with those keys would do. */
const together = [
  ["CHAT_BASE_URL", "CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["AUTH_JWKS_URL", "AUTH_ISSUER", "AUTH_AUDIENCE"],
] as const;

/**
 * Reads the settings that a schema names.
 * @throws ConfigError naming every fault.
 */
export function readSettings<S extends z.ZodObject>(schema: S, environment: Environment): z.output<S> {
  const set = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const text = environment[name]?.trim();
      return text ? [[name, text]] : [];
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
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return parsed.data;
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
    allowedOrigins: settings.ALLOWED_ORIGINS,
    chat: {
      baseUrl: settings.CHAT_BASE_URL,
      adminToken: new Secret(settings.CHAT_ADMIN_TOKEN),
      teamId: settings.CHAT_TEAM_ID,
    },
    hive: { nodes: settings.HIVE_NODES, chainId: settings.HIVE_CHAIN_ID },
    sessionSecret: new Secret(settings.SESSION_SECRET),
    appIds: settings.CHAT_APP_IDS,
    accessTokenMaxAgeSeconds: settings.ACCESS_TOKEN_MAX_AGE,
    outsideIssuer: outsideIssuerOf(settings),
    store: storeOf(settings),
    dataDir: settings.DATA_DIR,
    x402: { network: settings.X402_NETWORK, facilitatorUrl: settings.FACILITATOR_URL ?? null },
    logLevel: settings.LOG_LEVEL,
    metricsToken: settings.METRICS_TOKEN ? new Secret(settings.METRICS_TOKEN) : null,
    rateLimits: settings.RATE_LIMITS === "on",
    trustProxy: settings.TRUST_PROXY,
  };
}

function outsideIssuerOf(settings: z.infer<typeof Settings>): Config["outsideIssuer"] {
  const { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = settings;
  return jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : null;
}

/** The store that the settings name. */
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

/** The process's environment: the only place that reads it. */
export function environment(): Environment {
  return process.env;
}

/** The process's one configuration; `server.ts` may give it before anyone asks, as the sandbox's settings are made at run time. */
export function currentConfig(given?: Config): Config {
  return processWide("config", () => given ?? loadConfig(environment()));
}
