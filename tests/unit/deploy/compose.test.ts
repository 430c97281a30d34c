import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const texts = z.array(z.string());
/** The parts of the format in use, so that a misspelled setting fails instead of being ignored. */
const Service = z.strictObject({
  image: z.string().optional(),
  build: z.string().optional(),
  user: z.string().optional(),
  command: texts.optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).optional(),
  ports: texts.optional(),
  volumes: texts.optional(),
  tmpfs: texts.optional(),
  networks: texts.optional(),
  network_mode: z.literal("none").optional(),
  cap_drop: texts,
  cap_add: texts.optional(),
  security_opt: texts,
  read_only: z.boolean(),
  profiles: texts.optional(),
  restart: z.enum(["no", "unless-stopped"]),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).optional(),
  healthcheck: z.union([
    z.strictObject({ disable: z.literal(true) }),
    z.strictObject({ test: texts, interval: z.string(), timeout: z.string(), start_period: z.string() }),
  ]),
});
type Service = Partial<z.infer<typeof Service>>;
const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean() })),
});

const text = readFileSync("compose.yaml", "utf8");
const { services, volumes, networks } = Compose.parse(parse(text, { merge: true }));
const all = Object.entries(services);
const names = Object.keys(services);
const dockerfile = readFileSync("Dockerfile", "utf8");
/** The services that `docker compose up` starts. */
const started = names.filter((name) => !services[name]?.profiles);
const service = (name: string): Service => services[name] ?? {};

/** Rules about order and quotes are a matter of taste. The interface of a port is checked below. */
const taste = [
  ...["service-keys-order", "services-alphabetical-order", "service-dependencies-alphabetical-order"],
  ...["no-quotes-in-volumes", "require-quotes-in-ports", "require-project-name-field"],
  "no-unbound-port-interfaces",
];

describe("compose.yaml", () => {
  test("passes the format's schema and its linter", async () => {
    const linter = new DCLinter({ rules: Object.fromEntries(taste.map((rule) => [rule, 0])) } as never);
    const messagesOf = async (path: string) =>
      (await linter.lintFiles([path], false)).flatMap(({ messages }) =>
        messages.map(({ message }) => message),
      );
    expect(await messagesOf("compose.yaml")).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "compose-"));
    const wrong = join(folder, "compose.yaml");
    writeFileSync(wrong, text.replace("condition: service_healthy", "condition: healthy"));
    expect(await messagesOf(wrong)).not.toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test("starts chat, seeding, database and store with one command, and the rest only by name", () => {
    expect(started.sort()).toEqual(["gateway", "mattermost", "postgres", "redis", "seed"]);
    expect([service("caddy").profiles, service("sandbox").profiles]).toEqual([["tls"], ["sandbox"]]);
  });

  test("starts without any file from the operator", () => {
    for (const [name, { env_file: files = [] }] of all)
      for (const { path, required } of files) expect([name, path, required]).toEqual([name, ".env", false]);
    const variables = [...text.matchAll(/(?<!\$)\$\{([^}]*)\}/g)].map(([, inside = ""]) => inside);
    expect(variables.length).toBeGreaterThan(0);
    expect(variables.filter((variable) => !/^[A-Z_]+:-.+$/.test(variable))).toEqual([]);
  });

  test.each(names)("gives %s no rights that its work does not require", (name) => {
    const { cap_drop, security_opt, read_only, cap_add } = service(name);
    expect({ cap_drop, security_opt, read_only }).toEqual({
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      // Mattermost rewrites its pages if its address has a path.
      read_only: name !== "mattermost",
    });
    expect(cap_add).toEqual(name === "caddy" ? ["NET_BIND_SERVICE"] : undefined);
  });

  test("starts each part once its dependencies are ready", () => {
    const order = all.flatMap(([name, { depends_on = {} }]) =>
      Object.entries(depends_on).map(([on, { condition }]) => `${name}: ${on} ${condition}`),
    );
    expect(order.sort()).toEqual(
      [
        "caddy: gateway service_healthy",
        "gateway: redis service_healthy",
        "gateway: seed service_completed_successfully",
        // The seeding itself waits for Mattermost, and shows its progress.
        "mattermost: postgres service_healthy",
        "seed: mattermost service_started",
      ].sort(),
    );
  });

  test.each(names.filter((name) => name !== "seed"))(
    "has a health check and a restart policy for %s",
    (name) => {
      const { healthcheck, restart } = service(name);
      const test = healthcheck && "test" in healthcheck ? healthcheck.test : [];
      expect(test[0]).toMatch(/^CMD(-SHELL)?$/);
      expect(restart).toBe("unless-stopped");
    },
  );

  test("runs the seeding once", () => {
    expect(service("seed")).toMatchObject({ restart: "no", healthcheck: { disable: true } });
  });

  test("passes the settings in a volume that the gateway can only read, without the admin's password", () => {
    const { command = [], volumes: ofSeed = [] } = service("seed");
    const { environment = {}, volumes: ofGateway = [] } = service("gateway");
    expect(command.slice(0, 3)).toEqual(["node", "dist/seed.js", environment.CHAT_BASE_URL]);
    expect(command).toContain(`--settings=${environment.ENV_FILE}`);
    expect(environment.ENV_FILE).toMatch(/^\/run\/hivegate\//);
    expect([ofSeed, ofGateway]).toEqual([
      expect.arrayContaining(["handover:/run/hivegate"]),
      expect.arrayContaining(["handover:/run/hivegate:ro"]),
    ]);
    expect(command).toContain("--admin=/seed/admin.json");
    const holders = all.filter(([, { volumes: used = [] }]) => used.some((one) => one.startsWith("seed:")));
    expect(holders.map(([name]) => name)).toEqual(["seed"]);
  });

  test("contains no password and no secret", () => {
    const secretive = /PASS|SECRET|TOKEN|_KEY/;
    const set = all.flatMap(([, { environment = {} }]) => Object.entries(environment));
    expect(set.filter(([name]) => secretive.test(name) && !/_FILE$/.test(name))).toEqual([]);
    // The kernel generates the password at each read, so no one knows it.
    expect(service("postgres").environment?.POSTGRES_PASSWORD_FILE).toBe("/proc/sys/kernel/random/uuid");
    const addresses = set.flatMap(([, value]) => [...String(value).matchAll(/\/\/([^/@\s]*)@/g)]);
    expect(addresses.map(([, who]) => who)).toEqual(["mattermost"]);
  });

  test("gives the database no network, and only the gateway access to the store", () => {
    expect(service("postgres")).toMatchObject({
      network_mode: "none",
      command: ["postgres", "-c", "listen_addresses="],
    });
    const withSocket = all.filter(([, { volumes: used = [] }]) =>
      used.some((one) => one.startsWith("postgres-socket:")),
    );
    expect(withSocket.map(([name]) => name).sort()).toEqual(["mattermost", "postgres"]);
    expect(networks.store).toEqual({ internal: true });
    const inStore = all.filter(([, { networks: used = [] }]) => used.includes("store"));
    expect(inStore.map(([name]) => name).sort()).toEqual(["gateway", "redis"]);
    expect(service("redis").networks).toEqual(["store"]);
  });

  test("publishes only the TLS proxy's ports to other machines", () => {
    const open = all.flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !/^(\$\{LISTEN:-)?127\.0\.0\.1:/.test(port)).map(() => name),
    );
    expect(new Set(open)).toEqual(new Set(["caddy"]));
  });

  test("stores lasting data in named volumes, including Mattermost's settings and plugins", () => {
    const used = all.flatMap(([, { volumes: ofService = [] }]) => ofService.map((one) => one.split(":")[0]));
    const named = used.filter((one) => !one?.startsWith("."));
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
    const inMattermost = (service("mattermost").volumes ?? []).map((one) => one.split(":")[1]);
    for (const folder of ["config", "data", "plugins", "client/plugins"])
      expect(inMattermost).toContain(`/mattermost/${folder}`);
    for (const [source = ""] of used.filter((one) => one?.startsWith(".")).map((one) => [one]))
      expect(existsSync(source), source).toBe(true);
  });

  test("persists every write of the store, and evicts nothing", () => {
    const command = service("redis").command?.join(" ");
    expect(command).toContain("--appendonly yes --appendfsync always");
    expect(command).toContain("--maxmemory-policy noeviction");
  });

  test("pins images to exact versions", () => {
    const fromCompose = all.flatMap(([, { image }]) => image ?? []);
    const fromDockerfile = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = ""]) => image);
    expect(fromCompose.length + fromDockerfile.length).toBe(6);
    const exact = /:(\$\{[A-Z_]+:-)?\d+\.\d+(\.\d+)?(-[a-z.\d]+)?\}?$/;
    expect([...fromCompose, ...fromDockerfile].filter((image) => !exact.test(image))).toEqual([]);
  });
});

describe("Dockerfile", () => {
  test("builds and runs on Node 24 as an unprivileged user", () => {
    const from = [...dockerfile.matchAll(/^FROM node:(\d+)\./gm)].map(([, major]) => major);
    expect(from).toEqual(["24", "24"]);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  test("leaves out the build's cache and source maps, and gives the volumes' folders to the user", () => {
    const [build = "", run = ""] = dockerfile.split(/^FROM /m).slice(1);
    expect(build).toContain("rm -rf .next/cache .next/source-maps");
    expect(run).not.toMatch(/npm (ci|install)/);
    const folders = /install -d -o node -g node -m 700 (.*)$/m.exec(run)?.[1]?.split(" ") ?? [];
    const mounted = ["gateway", "seed", "sandbox"].flatMap((name) =>
      (service(name).volumes ?? []).map((one) => one.split(":")[1] ?? ""),
    );
    const given = /--chown=node:node \S+ (\S+)/.exec(run)?.[1] ?? "";
    expect(new Set(mounted)).toEqual(new Set([...folders, `/app/${given}`]));
  });

  test("copies the release's page files to the volume of earlier releases before the server starts", () => {
    const run = dockerfile.split(/^FROM /m).at(-1) ?? "";
    const [, release = "", served = ""] =
      /keep-assets\.js (\S+) (\S+) && exec node dist\/server\.js/.exec(run) ?? [];
    expect(service("gateway").volumes).toContain(`assets:/app/${served}`);
    expect(service("gateway").command).toBeUndefined();
    // Next itself would serve a folder with that name, and warn about it.
    expect(release).not.toMatch(/^(static|public)$/);
    for (const folder of [release, served])
      expect(run).toMatch(
        new RegExp(`^COPY --from=build (--chown=node:node )?/app/${release} ${folder}$`, "m"),
      );
  });

  test("has a health check", () => {
    expect(dockerfile).toMatch(/^HEALTHCHECK [\s\S]*\/api\/health\/live/m);
  });

  test("copies nothing secret or generated from the checkout", () => {
    const ignored = readFileSync(".dockerignore", "utf8").split("\n");
    for (const name of [".git", ".env", ".env.local", ".data", ".next", "dist", "node_modules"])
      expect(ignored).toContain(name);
  });
});

describe("the TLS proxy", () => {
  test("serves PUBLIC_URL, passes everything to the gateway, and trusts no other proxy", () => {
    const caddyfile = readFileSync("deploy/caddy/Caddyfile", "utf8");
    expect(caddyfile).toMatch(/^\{\$PUBLIC_URL\} \{$/m);
    expect(caddyfile).toMatch(/^\treverse_proxy gateway:3000/m);
    expect(caddyfile).not.toContain("trusted_proxies");
    expect(service("caddy").environment?.PUBLIC_URL).toMatch(/^\$\{PUBLIC_URL:-/);
  });
});

describe("the workflow", () => {
  test("verifies on the oldest supported Node, and on the image's", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    const { jobs } = parse(readFileSync(".github/workflows/verify.yml", "utf8"));
    const floor = Number(/^>=(\d+)\./.exec(engines.node)?.[1]);
    const image = Number(/^FROM node:(\d+)/m.exec(dockerfile)?.[1]);
    expect([floor, image]).toEqual(jobs.verify.strategy.matrix.node);
  });
});
