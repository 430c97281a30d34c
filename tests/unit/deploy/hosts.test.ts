import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LARGEST_UPLOAD } from "../../../lib/contract/limits.ts";
import { Settings } from "../../../lib/settings.ts";

/** The lines `Name=value` of a systemd unit, by name. */
const unit = new Map<string, string[]>();
for (const line of readFileSync("deploy/hivegate.service", "utf8").split("\n")) {
  const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
  if (name) unit.set(name, [...(unit.get(name) ?? []), value]);
}
const one = (name: string) => unit.get(name)?.[0];

describe("deploy/hivegate.service", () => {
  test("starts the build's output, with existing settings", () => {
    const [, script = ""] = /^\/usr\/bin\/node dist\/(\w+)\.js$/.exec(one("ExecStart") ?? "") ?? [];
    expect(readFileSync("esbuild.config.mjs", "utf8")).toContain(`${script}: "`);
    const names = (unit.get("Environment") ?? []).map((text) => text.split("=")[0] ?? "");
    expect(
      names.filter((name) => !["NODE_ENV", "ENV_FILE", ...Object.keys(Settings.shape)].includes(name)),
    ).toEqual([]);
    expect(unit.get("Environment")).toContain("ENV_FILE=/etc/hivegate/hivegate.env");
  });

  test("restarts after any exit except for invalid settings, and allows an orderly shutdown", () => {
    const end = readFileSync("lib/services/process-end.ts", "utf8");
    const lastMs = Number(/LAST_MS = ([\d_]+)/.exec(end)?.[1]?.replaceAll("_", ""));
    const status = /EX_CONFIG = (\d+)/.exec(end)?.[1];
    expect([one("Restart"), one("RestartPreventExitStatus"), one("StartLimitIntervalSec")]).toEqual([
      "always",
      status,
      "0",
    ]);
    expect(Number(one("TimeoutStopSec")) * 1000).toBeGreaterThan(lastMs);
  });

  test("lets the gateway write only to its own folders", () => {
    expect(one("User")).toBe("hivegate");
    expect([one("CapabilityBoundingSet"), one("NoNewPrivileges"), one("ProtectSystem")]).toEqual([
      "",
      "yes",
      "strict",
    ]);
    const dataDir = unit.get("Environment")?.find((text) => text.startsWith("DATA_DIR="));
    expect(dataDir).toBe(`DATA_DIR=/var/lib/${one("StateDirectory")}`);
    expect([one("StateDirectoryMode"), one("UMask")]).toEqual(["0700", "0077"]);
    // V8 generates code at run time.
    expect(unit.has("MemoryDenyWriteExecute")).toBe(false);
  });
});

const nginx = readFileSync("deploy/nginx.conf", "utf8");
/** Returns the values of a directive, in order. */
const values = (directive: string) =>
  [...nginx.matchAll(new RegExp(`^ *${directive} +(.*);$`, "gm"))].map(([, value = ""]) => value);

describe("deploy/nginx.conf", () => {
  test("passes websockets on, and keeps other connections open", () => {
    expect(values("proxy_http_version")).toEqual(["1.1"]);
    expect(values("proxy_set_header")).toEqual(
      expect.arrayContaining(["Upgrade $http_upgrade", "Connection $hivegate_connection", "Host $host"]),
    );
    expect(nginx).toMatch(/map \$http_upgrade \$hivegate_connection \{\s+default upgrade;\s+'' +'';\s+\}/);
    expect(Number(values("keepalive")[0])).toBeGreaterThan(0);
  });

  test("accepts the largest picture that the gateway accepts", () => {
    const megabytes = /^(\d+)m$/.exec(values("client_max_body_size")[0] ?? "")?.[1];
    expect(Number(megabytes) * 1024 * 1024).toBeGreaterThan(LARGEST_UPLOAD);
  });

  test("keeps a websocket open between two pings", () => {
    const everyMs = /EVERY_MS = ([\d_]+)/.exec(readFileSync("lib/chat/websocket/heartbeat.ts", "utf8"))?.[1];
    const seconds = Number(everyMs?.replaceAll("_", "")) / 1000;
    expect(seconds).toBeGreaterThan(1);
    for (const limit of ["proxy_read_timeout", "proxy_send_timeout"])
      expect(Number.parseInt(values(limit)[0] ?? "", 10)).toBeGreaterThan(2 * seconds);
  });

  test("replaces X-Forwarded-For, so that TRUST_PROXY=1 trusts no client", () => {
    expect(nginx).toContain("TRUST_PROXY=1");
    expect(values("proxy_set_header").filter((text) => text.startsWith("X-Forwarded-For"))).toEqual([
      "X-Forwarded-For $remote_addr",
    ]);
  });

  test("drops a client's traceparent, which would control sampling and ids", () => {
    expect(values("proxy_set_header")).toContain('traceparent ""');
    expect(readFileSync("deploy/caddy/Caddyfile", "utf8")).toMatch(
      /reverse_proxy gateway:3000 \{[^}]*\n\s*header_up -traceparent\n/,
    );
  });

  test("limits requests and connections per address, and the time in which a request must arrive", () => {
    expect(values("limit_req_zone")).toEqual([expect.stringContaining("$binary_remote_addr")]);
    expect(values("limit_req")).toEqual([expect.stringContaining("zone=hivegate_requests")]);
    expect(values("limit_conn")).toEqual([expect.stringMatching(/^hivegate_connections \d+$/)]);
    for (const limit of ["client_header_timeout", "client_body_timeout"])
      expect(Number.parseInt(values(limit)[0] ?? "", 10)).toBeLessThanOrEqual(60);
  });

  test("serves no metrics, and closes every block", () => {
    expect(nginx).toMatch(/location = \/api\/metrics \{\s+return 404;/);
    expect(existsSync("app/api/metrics/route.ts")).toBe(true);
    const code = nginx.replaceAll(/#.*$/gm, "");
    expect(code.split("{").length).toBe(code.split("}").length);
    const open = code.split("\n").filter((line) => line.trim() !== "" && !/[;{}]$/.test(line.trim()));
    expect(open).toEqual([]);
  });
});
