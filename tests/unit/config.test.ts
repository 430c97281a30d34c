import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigError, loadConfig } from "../../lib/config.ts";
import { loadFacilitatorConfig } from "../../lib/facilitator-config.ts";
import { areCookiesSecure } from "../../lib/http/plain-http.ts";

const good = {
  CHAT_BASE_URL: "https://chat.example/api/v4/",
  CHAT_ADMIN_TOKEN: "a".repeat(26),
  CHAT_TEAM_ID: "t".repeat(26),
  SESSION_SECRET: "s".repeat(32),
};

const faultsOf = (environment: Record<string, string>) => {
  try {
    loadConfig(environment);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error;
  }
};

describe("loading the configuration", () => {
  test("lets the catalogue ask private hosts of its own setting only, each on one port", () => {
    const environment = {
      ...good,
      OUTSIDE_PRIVATE_HOSTS: "media.lan",
      CATALOGUE_PRIVATE_HOSTS: "Shop.lan:8080",
    };
    expect(loadConfig(environment).catalogue.privateHosts).toEqual(["shop.lan:8080"]);
    expect(loadFacilitatorConfig(environment).catalogue.privateHosts).toEqual(["shop.lan:8080"]);
    const { faults } = faultsOf({ ...good, CATALOGUE_PRIVATE_HOSTS: "shop.lan" }) ?? {};
    expect(faults).toMatchObject([{ setting: "CATALOGUE_PRIVATE_HOSTS" }]);
  });

  test("uses HiveAuth's public relay on the main chain only, and none if HAS_URL is empty", () => {
    const relayOf = (settings: Record<string, string>) => loadConfig({ ...good, ...settings }).hiveAuthRelay;
    expect(relayOf({})).toBe("wss://hive-auth.arcange.eu");
    expect(relayOf({ HAS_URL: "" })).toBeNull();
    const other = { HIVE_CHAIN_ID: "1".repeat(64), HIVE_NODES: "http://127.0.0.1:9" };
    expect(relayOf(other)).toBeNull();
    expect(relayOf({ ...other, HAS_URL: "wss://relay.example.com" })).toBe("wss://relay.example.com");
    expect(faultsOf({ ...good, HAS_URL: "https://relay.example.com" })?.faults).toMatchObject([
      { setting: "HAS_URL" },
    ]);
  });

  test("reports all faults in one message, which mentions the sandbox", () => {
    const error = faultsOf({
      CHAT_BASE_URL: "ftp://x",
      SESSION_SECRET: "s".repeat(31),
      PORT: "many",
      HIVE_CHAIN_ID: "1",
    });
    expect(error?.faults.map(({ setting }) => setting).sort()).toEqual([
      "CHAT_ADMIN_TOKEN",
      "CHAT_BASE_URL",
      "CHAT_TEAM_ID",
      "HIVE_CHAIN_ID",
      "PORT",
      "SESSION_SECRET",
    ]);
    for (const { setting } of error?.faults ?? []) expect(error?.message).toContain(`${setting}: `);
    expect(error?.message).toContain("--sandbox");
  });

  test("never prints the value of a secret in a message", () => {
    expect(faultsOf({ ...good, SESSION_SECRET: "hunter2" })?.message).not.toContain("hunter2");
    expect(faultsOf({ ...good, CHAT_ADMIN_TOKEN: "HUNTER2" })?.message).not.toContain("HUNTER2");
  });

  test("requires a previous session secret to have the minimum length and to differ from the current one", () => {
    const loaded = loadConfig({ ...good, SESSION_SECRET_PREVIOUS: "p".repeat(32) });
    expect(loaded.sessionSecret.previous?.reveal()).toBe("p".repeat(32));
    expect(JSON.stringify(loaded)).not.toContain("pppp");
    expect(loadConfig(good).sessionSecret.previous).toBe(null);
    for (const wrong of [good.SESSION_SECRET, "p".repeat(31)])
      expect(faultsOf({ ...good, SESSION_SECRET_PREVIOUS: wrong })?.faults).toMatchObject([
        { setting: "SESSION_SECRET_PREVIOUS" },
      ]);
  });

  test("requires an image host's account and key together, and hides its address", () => {
    const key = `5${"J".repeat(50)}`;
    const url = "https://images.example/hs/hunter2";
    const loaded = loadConfig({
      ...good,
      IMAGE_UPLOAD_URL: url,
      IMAGE_UPLOAD_ACCOUNT: "shop",
      IMAGE_UPLOAD_KEY: key,
    });
    expect(loaded.imageHost?.url.reveal()).toBe(url);
    expect(loaded.imageHost?.signer?.account).toBe("shop");
    expect(JSON.stringify(loaded)).not.toMatch(/hunter2|JJJ/);
    expect(loadConfig(good).imageHost).toBeNull();
    const faults = (given: Record<string, string>) =>
      faultsOf({ ...good, ...given })?.faults.map(({ setting }) => setting);
    expect(faults({ IMAGE_UPLOAD_URL: url, IMAGE_UPLOAD_ACCOUNT: "shop" })).toEqual(["IMAGE_UPLOAD_KEY"]);
    expect(faults({ IMAGE_UPLOAD_ACCOUNT: "shop", IMAGE_UPLOAD_KEY: key })).toEqual(["IMAGE_UPLOAD_URL"]);
    expect(
      faults({
        IMAGE_UPLOAD_URL: "images.example",
        IMAGE_UPLOAD_ACCOUNT: "@Shop",
        IMAGE_UPLOAD_KEY: "STM7x",
      }),
    ).toEqual(["IMAGE_UPLOAD_URL", "IMAGE_UPLOAD_ACCOUNT", "IMAGE_UPLOAD_KEY"]);
  });

  test("accepts headers for traces only in list form, as a secret, and drops them without a collector", () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318/" };
    const headers = "api-key=s3cretkey,authorization=Basic%20YTpi==";
    const { tracing } = loadConfig({ ...good, ...collector, OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(tracing).toMatchObject({ endpoint: "http://localhost:4318", serviceName: "hivegate", ratio: 1 });
    expect(tracing?.headers?.reveal()).toBe(headers);
    expect(JSON.stringify(tracing)).not.toContain("s3cretkey");
    expect(loadConfig({ ...good, OTEL_EXPORTER_OTLP_HEADERS: headers }).tracing).toBe(null);
    for (const wrong of ["s3cretkey", "a b=c", "a=%zz", "a=b,", "a=ü"])
      expect(faultsOf({ ...good, OTEL_EXPORTER_OTLP_HEADERS: wrong })?.faults).toMatchObject([
        { setting: "OTEL_EXPORTER_OTLP_HEADERS" },
      ]);
    for (const wrong of ["2", "-1", "many"])
      expect(faultsOf({ ...good, OTEL_TRACES_SAMPLER_ARG: wrong })?.faults).toHaveLength(1);
  });

  test("refuses another chain's network, and another chain on the public nodes", () => {
    const other = { HIVE_CHAIN_ID: "ab".repeat(32), HIVE_NODES: "http://127.0.0.1:9" };
    expect(faultsOf({ ...good, ...other, X402_NETWORK: "chain:mainnet" })?.message).toMatch(
      /X402_NETWORK: is not the network of HIVE_CHAIN_ID: that is hive:abab/,
    );
    expect(faultsOf({ ...good, X402_NETWORK: "chain:sandbox" })?.faults).toMatchObject([
      { setting: "X402_NETWORK" },
    ]);
    expect(faultsOf({ ...good, X402_NETWORK: "base" })?.faults).toMatchObject([{ setting: "X402_NETWORK" }]);
    expect(faultsOf({ ...good, HIVE_CHAIN_ID: "ab".repeat(32) })?.faults).toMatchObject([
      { setting: "HIVE_NODES" },
    ]);
    const facilitator = () => loadFacilitatorConfig({ ...other, X402_NETWORK: "chain:sandbox" });
    expect(facilitator).toThrow(/X402_NETWORK/);
  });

  test("derives the network from the chain id, or accepts another name of mainnet", () => {
    const other = { HIVE_CHAIN_ID: "ab".repeat(32), HIVE_NODES: "http://127.0.0.1:9" };
    expect(loadConfig({ ...good, ...other }).x402.network).toBe(`hive:${"ab".repeat(16)}`);
    expect(loadFacilitatorConfig(other).network).toBe(`hive:${"ab".repeat(16)}`);
    expect(loadConfig({ ...good, X402_NETWORK: "hive:mainnet" }).x402.network).toBe("hive:mainnet");
  });

  test("refuses a public address with a path, and a proxy count that is not a number", () => {
    for (const url of ["https://chat.example/hive", "https://chat.example?x", "https://chat.example/#a"])
      expect(faultsOf({ ...good, PUBLIC_URL: url })?.message).toContain(
        "PUBLIC_URL: must be an address without a path: https://chat.example.com",
      );
    expect(loadConfig({ ...good, PUBLIC_URL: "https://chat.example/" }).publicUrl).toBe(
      "https://chat.example",
    );
    expect(faultsOf({ ...good, TRUST_PROXY: "true" })?.message).toContain(
      "TRUST_PROXY: must be the number of proxies in front (0 for none), not true or an address",
    );
    expect(loadConfig({ ...good, TRUST_PROXY: "2" }).trustProxy).toBe(2);
  });

  test("sets Secure cookies unless plain http on a private network was chosen", () => {
    const areSecure = (environment: Record<string, string>) =>
      areCookiesSecure(loadConfig({ ...good, ...environment }));
    expect(areSecure({})).toBe(true);
    for (const host of ["chat.example", "8.8.8.8", "172.32.0.1", "[2001:db8::1]", "local.example"])
      expect(areSecure({ PUBLIC_URL: `http://${host}` }), host).toBe(true);
    for (const host of ["192.168.1.5:8080", "10.1.2.3", "172.31.0.1", "[fd00::1]", "chat", "nas.lan"])
      expect(areSecure({ PUBLIC_URL: `http://${host}` }), host).toBe(false);
    expect(areSecure({ PUBLIC_URL: "https://192.168.1.5" })).toBe(true);
  });

  test("refuses the address of Upstash without its token", () => {
    const error = faultsOf({ ...good, UPSTASH_REDIS_REST_URL: "https://redis.example" });
    expect(error?.faults).toMatchObject([{ setting: "UPSTASH_REDIS_REST_TOKEN" }]);
  });

  test("requires an external issuer's keys, issuer and audience together, to keep out tokens for other apps", () => {
    const issuer = {
      AUTH_JWKS_URL: "https://login.example/keys",
      AUTH_ISSUER: "https://login.example",
      AUTH_AUDIENCE: "our-chat",
    };
    const names = Object.keys(issuer);
    for (const [name, value] of Object.entries(issuer)) {
      const error = faultsOf({ ...good, [name]: value });
      expect(error?.faults.map(({ setting }) => setting)).toEqual(names.filter((other) => other !== name));
      expect(faultsOf({ ...good, ...issuer, [name]: " " })?.faults).toMatchObject([{ setting: name }]);
    }
    expect(loadConfig({ ...good, ...issuer }).externalIssuer).toEqual({
      jwksUrl: issuer.AUTH_JWKS_URL,
      issuer: issuer.AUTH_ISSUER,
      audience: issuer.AUTH_AUDIENCE,
    });
    expect(loadConfig(good).externalIssuer).toBeNull();
  });

  test("refuses a list of apps that names none", () => {
    expect(faultsOf({ ...good, CHAT_APP_IDS: "," })?.faults).toMatchObject([{ setting: "CHAT_APP_IDS" }]);
  });

  test("fills in the defaults", () => {
    const config = loadConfig(good);
    expect(config).toMatchObject({
      sandbox: null,
      host: "0.0.0.0",
      port: 3000,
      chat: { baseUrl: "https://chat.example/api/v4" },
      appIds: [],
      accessTokenMaxAgeSeconds: 604_800,
      store: { kind: "sqlite", dataDir: ".data" },
      x402: { network: "chain:mainnet", facilitatorUrl: null },
      rateLimits: true,
    });
    expect(loadConfig(good, { accounts: [], chat: null, chain: null }).host).toBe("127.0.0.1");
  });

  test("treats an empty value as not set", () => {
    expect(loadConfig({ ...good, PORT: " ", HIVE_NODES: "" }).port).toBe(3000);
  });

  test("splits and trims lists", () => {
    const config = loadConfig({
      ...good,
      HIVE_NODES: "https://a.example/, http://b.example",
      ALLOWED_ORIGINS: "https://app.example",
    });
    expect(config.hive.nodes).toEqual(["https://a.example", "http://b.example"]);
    expect(config.allowedOrigins).toEqual(["https://app.example"]);
  });

  test("refuses a chain node's address with a secret, because pages publish it", () => {
    for (const address of [
      "https://me:s3cret@a.example",
      "https://me@a.example",
      "https://a.example/?key=1",
    ]) {
      const refused = faultsOf({ ...good, HIVE_NODES: `https://b.example,${address}` });
      expect(refused?.faults).toMatchObject([{ setting: "HIVE_NODES" }]);
      expect(refused?.message).toMatch(/HIVE_NODES: must not contain a user, password or query/);
      expect(refused?.message).not.toMatch(/s3cret|key=1/);
    }
    expect(faultsOf({ ...good, HIVE_NODES: "a.example" })?.message).toMatch(/HIVE_NODES: must be an http/);
  });

  test("reads the key of signed offers from a file that only its owner can read", () => {
    const folder = mkdtempSync(join(tmpdir(), "signing-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "signing.key");
    const key = "5e".repeat(32);
    const settings = { ...good, X402_SIGNING_KEY_FILE: path };
    expect(faultsOf(settings)?.message).toMatch("X402_SIGNING_KEY_FILE: can't be read (ENOENT)");
    writeFileSync(path, `${key}\n`, { mode: 0o644 });
    const refused = faultsOf(settings)?.message;
    expect(refused).toMatch("X402_SIGNING_KEY_FILE: can be read or changed by other users");
    expect(refused).not.toContain(key);
    chmodSync(path, 0o600);
    expect(loadConfig(settings).x402.signing?.key.reveal()).toBe(key);
    writeFileSync(path, key.slice(1));
    const short = faultsOf(settings)?.message;
    expect(short).toMatch("X402_SIGNING_KEY_FILE: must hold 64 hex digits");
    expect(short).not.toContain(key.slice(1));
    expect(faultsOf({ ...good, X402_SIGNING_KEY_FILE: folder })?.message).toMatch("X402_SIGNING_KEY_FILE: ");
  });

  test.each([
    [{ X402_SIGNING_KEY: "5e" }, "X402_SIGNING_KEY: must be 64 hex digits"],
    [
      { X402_SIGNING_KEY: "5e".repeat(32), X402_SIGNING_KEY_FILE: "signing.key" },
      "X402_SIGNING_KEY: is set beside X402_SIGNING_KEY_FILE",
    ],
    [{ X402_SIGNING_KEY: "5e".repeat(32), X402_FORMER_KEYS: "z6Mk" }, "X402_FORMER_KEYS: must be names of"],
    [
      { X402_FORMER_KEYS: "z6MkvgaCXLPCcGqTNLCVXCTLNV3iUVV9aC3U7aEVJLQ7Ys3A" },
      "X402_SIGNING_KEY_FILE: is needed with X402_FORMER_KEYS",
    ],
    [
      { X402_SIGNING_KEY: "5e".repeat(32), PUBLIC_URL: "http://[::1]:3000" },
      "PUBLIC_URL: must have a name or an IPv4 address",
    ],
  ])("refuses the settings of signed offers %o", (settings, problem) => {
    expect(faultsOf({ ...good, ...settings })?.message).toMatch(problem);
  });

  test.each([
    [{}, "PAYWALL_ACCOUNT: is needed with X402_SWEEP"],
    [
      { PAYWALL_ACCOUNT: "shop", FACILITATOR_URL: "https://pay.example" },
      "X402_SWEEP: must be off with FACILITATOR_URL",
    ],
  ])("refuses to sweep with %o", (settings, problem) => {
    expect(faultsOf({ ...good, ...settings, X402_SWEEP: "on" })?.message).toMatch(problem);
  });

  test("prints no secret of the configuration, neither inspected nor as JSON", () => {
    const config = loadConfig({
      ...good,
      METRICS_TOKEN: "m".repeat(16),
      REDIS_URL: "redis://:pass@r.example",
      X402_SIGNING_KEY: "5e".repeat(32),
    });
    const printed = `${inspect(config, { depth: 9 })}${JSON.stringify(config)}`;
    for (const secret of [
      good.CHAT_ADMIN_TOKEN,
      good.SESSION_SECRET,
      "m".repeat(16),
      "pass@",
      "5e".repeat(32),
    ])
      expect(printed).not.toContain(secret);
  });
});
