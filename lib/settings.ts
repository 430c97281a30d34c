import { z } from "zod";
import { isChainId, isNetworkName, MAINNET_CHAIN_ID, MAINNET_NODES } from "./chains.ts";
import { HOST_WITH_PORT } from "./host-with-port.ts";
import { MATTERMOST_ID } from "./mattermost-id.ts";

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

/** The address of a chain node, which payers' browsers use too. */
const nodeUrl = httpUrl.refine((text) => {
  const { username, password, search } = new URL(text);
  return username === "" && password === "" && search === "";
}, "must not contain a user, password or query, because payers' browsers receive these addresses");

const list = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const isHeaderList = (text: string) =>
  text
    .split(",")
    .every((pair) => /^\s*[\w!#$&'*+.^`|~-]+\s*=(?:[ !-$&-+\--:<-~]|%[\dA-Fa-f]{2})*$/.test(pair));

const number = (what: string) => z.coerce.number(`must be ${what}`);
const PORT_RANGE = "a port: a whole number from 0 to 65535";
const WORKER_RANGE = "a whole number from 1 to 64";
const port = number(PORT_RANGE)
  .int(`must be ${PORT_RANGE}`)
  .min(0, `must be ${PORT_RANGE}`)
  .max(65_535, `must be ${PORT_RANGE}`);

/** Every setting with its description, check and default. `npm run env` writes `.env.example` from it. */
export const Settings = z.object({
  CHAT_BASE_URL: httpUrl.describe(
    "REST address of the Mattermost server, with its version: https://chat.example.com/api/v4",
  ),
  CHAT_ADMIN_TOKEN: z
    .string()
    .regex(MATTERMOST_ID, "must be a Mattermost personal access token (26 letters and digits)")
    .describe(
      "personal access token of a Mattermost system admin, which creates users, members and channels",
    ),
  CHAT_TEAM_ID: z
    .string()
    .regex(MATTERMOST_ID, "must be a Mattermost team id (26 letters and digits)")
    .describe("id of the team that holds the channels"),
  HIVE_NODES: z
    .string()
    .default(MAINNET_NODES.join(","))
    .transform(list)
    .pipe(z.array(nodeUrl).min(1, "must name at least one node"))
    .describe(
      "Hive API nodes, comma separated, in order of preference; they become public, because payers' browsers use them too",
    ),
  HIVE_QUORUM: z
    .enum(["1", "2"])
    .default("2")
    .transform((text): 1 | 2 => (text === "1" ? 1 : 2))
    .describe(
      "`1` accepts payments below 100 HBD on a single node's answer while no other node responds; access to the chat always requires two nodes if two are configured",
    ),
  HIVE_CHAIN_ID: z
    .string()
    .refine(isChainId, "must be 64 hex digits")
    .default(MAINNET_CHAIN_ID)
    .describe("id of the chain that signatures are for"),
  SESSION_SECRET: z
    .string()
    .min(32, "must have 32 characters or more: openssl rand -hex 32")
    .describe(
      "secret that encrypts sessions and stored chat tokens, and signs the paywall's offers; do not lose it",
    ),
  SESSION_SECRET_PREVIOUS: z
    .string()
    .min(32, "must be the former SESSION_SECRET: 32 characters or more")
    .optional()
    .describe("former SESSION_SECRET during a rotation: accepted, but creates nothing new"),
  PUBLIC_URL: httpUrl
    .refine(
      (url) => /^https?:\/\/[^/?#]+$/.test(url),
      "must be an address without a path: https://chat.example.com",
    )
    .optional()
    .describe("address that browsers use for this server: https, or plain http on a private network"),
  SOURCE_URL: httpUrl
    .optional()
    .describe(
      "address of this server's source code, linked in the footer; defaults to the repository in package.json, or the checkout's public remote",
    ),
  ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform(list)
    .pipe(
      z.array(
        z.string().refine(isUrl(["http:", "https:"]), "must be origins such as https://app.example.com"),
      ),
    )
    .describe(
      "other origins of the same site that may use the cookie, comma separated; pages of other sites never receive it (SameSite=Lax) and send the token instead",
    ),
  CHAT_APP_IDS: z
    .string()
    .transform(list)
    .pipe(z.array(z.string()).min(1, "must name at least one app"))
    .optional()
    .describe(
      "apps that may sign access tokens, comma separated; defaults to the host of PUBLIC_URL, or to none without it (on the sandbox, localhost with its port)",
    ),
  ACCESS_TOKEN_MAX_AGE: number("a number of seconds, such as 604800 for a week")
    .int("must be whole seconds")
    .positive("must be more than 0 seconds")
    .default(604_800)
    .describe("maximum age of an access token, in seconds"),
  HIVESIGNER_APP: z
    .string()
    .regex(/^[a-z][a-z0-9.-]{2,15}$/, "must be the name of a chain account, without @")
    .optional()
    .describe(
      "account of your app at HiveSigner, whose profile lists the redirect address PUBLIC_URL/api/auth/hivesigner; people can then sign in there",
    ),
  HAS_URL: z
    .union([z.literal(""), z.string().refine(isUrl(["ws:", "wss:"]), "must be a wss:// address, or empty")])
    .optional()
    .describe(
      "relay of HiveAuth at which wallets on phones sign people in; empty offers no HiveAuth; defaults to the public relay on the main chain",
    ),
  AUTH_JWKS_URL: httpUrl.optional().describe("address of an external token issuer's public keys"),
  AUTH_ISSUER: z
    .string()
    .min(1)
    .optional()
    .describe("`iss` of the external issuer's tokens, required with AUTH_JWKS_URL"),
  AUTH_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe(
      "`aud` of the external issuer's tokens, required with AUTH_JWKS_URL; rejects tokens for other apps",
    ),
  REDIS_URL: z
    .string()
    .refine(isUrl(["redis:", "rediss:"]), "must be a redis:// or rediss:// address")
    .optional()
    .describe("Redis server to use as the store, for several machines"),
  UPSTASH_REDIS_REST_URL: httpUrl.optional().describe("Redis REST API to use instead of REDIS_URL"),
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1).optional().describe("token for the Redis REST API"),
  DATA_DIR: z.string().min(1).default(".data").describe("folder for the SQLite files"),
  X402_NETWORK: z
    .string()
    .refine(isNetworkName, "must be a chain's name such as chain:mainnet")
    .optional()
    .describe("name of the chain in offers, if it has several: chain:mainnet, hive:mainnet"),
  FACILITATOR_URL: httpUrl
    .optional()
    .describe("facilitator that settles payments for the paywalls; defaults to this app's own"),
  PAYWALL_ACCOUNT: z
    .string()
    .regex(/^[a-z][a-z0-9.-]{2,15}$/, "must be the name of a chain account, without @")
    .optional()
    .describe("default payee of this app's paid routes; without it, the demo's articles are not for sale"),
  REFUND_KEY: z
    .string()
    .regex(/^5[1-9A-HJ-NP-Za-km-z]{50}$/, "must be a private active key: 51 characters, starting with 5")
    .optional()
    .describe("private active key of PAYWALL_ACCOUNT, with which `npm run refund` pays buyers back"),
  REFUND_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("file that holds this key instead, which nobody but its owner can read"),
  X402_SIGNING_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, "must be 64 hex digits: openssl rand -hex 32")
    .optional()
    .describe(
      "private Ed25519 key with which the paywalls sign offers and receipts; without it, they sign nothing",
    ),
  X402_SIGNING_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("file that holds this key instead, which nobody but its owner can read"),
  X402_FORMER_KEYS: z
    .string()
    .default("")
    .transform(list)
    .pipe(
      z.array(
        z
          .string()
          .regex(/^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/, "must be names of former keys, which begin with z6Mk"),
      ),
    )
    .describe(
      "public keys that signed before, comma separated, by their names after # in /.well-known/did.json, so that earlier receipts can still be verified",
    ),
  X402_SWEEP: z
    .enum(["on", "off"])
    .default("off")
    .describe(
      "`on` owes transfers to PAYWALL_ACCOUNT back that bought nothing in this store; only if nothing else sells for it",
    ),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("lowest level to log"),
  METRICS_TOKEN: z
    .string()
    .min(16, "must have 16 characters or more: openssl rand -hex 32")
    .optional()
    .describe(
      "bearer token for /api/metrics (/metrics on a standalone facilitator); without it, the route returns 404",
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      "OpenTelemetry collector for traces, by OTLP over HTTP: http://localhost:4318; without it, tracing is off",
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine(isHeaderList, "must be name=value pairs, comma separated, with percent-encoded values")
    .optional()
    .describe("headers to send to the collector, such as api-key=..."),
  OTEL_SERVICE_NAME: z.string().min(1).default("hivegate").describe("name of this service in traces"),
  OTEL_TRACES_SAMPLER_ARG: number("a number from 0 to 1")
    .min(0, "must be a number from 0 to 1")
    .max(1, "must be a number from 0 to 1")
    .default(1)
    .describe("fraction of requests to trace, from 0 to 1"),
  OUTSIDE_FETCH: z
    .enum(["on", "off"])
    .default("on")
    .describe("`off` fetches no pictures or pages from other servers, so messages show plain links"),
  OUTSIDE_PRIVATE_HOSTS: z
    .string()
    .default("")
    .transform((text) => list(text.toLowerCase()))
    .pipe(
      z.array(
        z
          .string()
          .regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/, "must be hosts such as media.lan:8080"),
      ),
    )
    .describe(
      "private hosts whose pictures and pages may be fetched, comma separated, with or without a port",
    ),
  CATALOGUE_PRIVATE_HOSTS: z
    .string()
    .default("")
    .transform((text) => list(text.toLowerCase()))
    .pipe(z.array(z.string().regex(HOST_WITH_PORT, "must be hosts with ports such as shop.lan:8080")))
    .describe(
      "private hosts that the catalogue may ask what they sell, by GET, for anyone who pays; comma separated, with their ports",
    ),
  IMAGE_UPLOAD_URL: httpUrl
    .optional()
    .describe(
      "image host for pictures in public channels: https://images.hive.blog, or an address with a token; Mattermost stores all other pictures, and these too if it is unset",
    ),
  IMAGE_UPLOAD_ACCOUNT: z
    .string()
    .regex(/^[a-z][a-z0-9.-]{2,15}$/, "must be the name of a chain account, without @")
    .optional()
    .describe("chain account that signs uploads to the image host, if it requires a signature"),
  IMAGE_UPLOAD_KEY: z
    .string()
    .regex(/^5[1-9A-HJ-NP-Za-km-z]{50}$/, "must be a private posting key: 51 characters, starting with 5")
    .optional()
    .describe("private posting key of IMAGE_UPLOAD_ACCOUNT"),
  TRANSLATE_URL: httpUrl
    .optional()
    .describe("LibreTranslate or compatible server that translates messages: https://translate.example.com"),
  TRANSLATE_KEY: z.string().min(1).optional().describe("API key for TRANSLATE_URL, if it requires one"),
  RATE_LIMITS: z
    .enum(["on", "off"])
    .default("on")
    .describe("`off` disables rate limits, for benchmarks and tests only"),
  TRUST_PROXY: z
    .string()
    .regex(/^\d$/, "must be the number of proxies in front (0 for none), not true or an address")
    .default("0")
    .transform(Number)
    .describe("number of your own proxies in front, whose X-Forwarded-For entries are trusted"),
  PORT: port.default(3000).describe("port to listen on"),
  WORKERS: number(WORKER_RANGE)
    .int(`must be ${WORKER_RANGE}`)
    .min(1, `must be ${WORKER_RANGE}`)
    .max(64, `must be ${WORKER_RANGE}`)
    .default(1)
    .describe("number of processes that share the port, one for each core that the gateway may use"),
  SANDBOX_CHAIN_PORT: port
    .default(8090)
    .describe(
      "port of the sandbox's chain, for a wallet's settings; if it is taken, the next free one is used",
    ),
  HOST: z
    .string()
    .min(1)
    .optional()
    .describe("address to listen on: 127.0.0.1 on the sandbox, 0.0.0.0 otherwise"),
});
