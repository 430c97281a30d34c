import {
  type Config,
  catalogueOf,
  type Environment,
  networkOf,
  readSettings,
  storeOf,
  tracingOf,
} from "./config.ts";
import { Secret } from "./secret.ts";
import { Settings } from "./settings.ts";

/** The configuration of a standalone facilitator, without the chat. */
export type FacilitatorConfig = Readonly<
  Pick<
    Config,
    | "host"
    | "port"
    | "hive"
    | "store"
    | "logLevel"
    | "metricsToken"
    | "tracing"
    | "rateLimits"
    | "trustProxy"
    | "workers"
    | "catalogue"
  > & {
    network: string;
  }
>;

/** Settings of a standalone facilitator, without the chat. */
const FacilitatorSettings = Settings.pick({
  HIVE_NODES: true,
  HIVE_QUORUM: true,
  HIVE_CHAIN_ID: true,
  REDIS_URL: true,
  UPSTASH_REDIS_REST_URL: true,
  UPSTASH_REDIS_REST_TOKEN: true,
  DATA_DIR: true,
  X402_NETWORK: true,
  LOG_LEVEL: true,
  METRICS_TOKEN: true,
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
  OTEL_EXPORTER_OTLP_HEADERS: true,
  OTEL_SERVICE_NAME: true,
  OTEL_TRACES_SAMPLER_ARG: true,
  RATE_LIMITS: true,
  TRUST_PROXY: true,
  HOST: true,
  WORKERS: true,
  OUTSIDE_FETCH: true,
  CATALOGUE_PRIVATE_HOSTS: true,
}).extend({ PORT: Settings.shape.PORT.unwrap().default(4020) });

/**
 * Validates the settings of a standalone facilitator.
 * @throws ConfigError that names every fault
 */
export function loadFacilitatorConfig(environment: Environment): FacilitatorConfig {
  const settings = readSettings(FacilitatorSettings, environment);
  return Object.freeze({
    host: settings.HOST ?? "0.0.0.0",
    port: settings.PORT,
    hive: {
      nodes: settings.HIVE_NODES,
      chainId: settings.HIVE_CHAIN_ID,
      quorum: settings.HIVE_QUORUM,
    },
    store: storeOf(settings),
    network: networkOf(settings),
    logLevel: settings.LOG_LEVEL,
    metricsToken: settings.METRICS_TOKEN ? new Secret(settings.METRICS_TOKEN) : null,
    tracing: tracingOf(settings),
    rateLimits: settings.RATE_LIMITS === "on",
    trustProxy: settings.TRUST_PROXY,
    workers: settings.WORKERS,
    catalogue: catalogueOf(settings),
  });
}
