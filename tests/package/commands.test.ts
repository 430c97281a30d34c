import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApiPerson } from "../e2e/support/api-person.ts";
import { type RunningServer, startCommand } from "../harness/start-command.ts";
import { startTestMattermost } from "../harness/start-mattermost.ts";
import { startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { openWebsocket } from "../websocket/open-websocket.ts";

/** Starts a command that runs a server. */
const start = async (...given: Parameters<typeof startCommand>) => {
  const started = await startCommand(...given);
  if ("code" in started) throw new Error(`ended with ${started.code}:\n${started.output}`);
  return started;
};

const expectToServe = async (url: string, ownSandbox: object) => {
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Hivegate")]);
  const refused = await fetch(`${url}/api/chat/me`);
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: "unauthorized" }]);
  const lost = await fetch(`${url}/api/nowhere`);
  expect([lost.status, await lost.json()]).toMatchObject([404, { code: "not_found" }]);
  const sandbox = await fetch(`${url}/api/sandbox`);
  expect(await sandbox.json()).toMatchObject(ownSandbox);
};

describe("npm run dev", () => {
  const origin = "https://app.example.org";
  let threads = "always_on";
  let mattermost: Awaited<ReturnType<typeof startTestMattermost>>;
  let front: Awaited<ReturnType<typeof startRecordingProxy>>;
  let dataDir: string;
  let server: RunningServer;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "commands-dev-"));
    mattermost = await startTestMattermost();
    front = await startRecordingProxy(mattermost.url);
    front.treat(({ path }) =>
      path.startsWith("/config/client")
        ? { status: 200, text: JSON.stringify({ CollapsedThreads: threads }) }
        : "pass",
    );
    const settings = {
      PORT: "0",
      DATA_DIR: dataDir,
      ALLOWED_ORIGINS: origin,
      CHAT_BASE_URL: front.url,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
    };
    server = await start("npm", ["run", "--silent", "dev"], { settings });
  });
  afterAll(async () => {
    server?.child.kill("SIGTERM");
    await server?.exited;
    await front?.close();
    await mattermost?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test("serves pages and routes from their sources, on the sandbox's chain", async () => {
    await expectToServe(server.url, { chain: { url: expect.any(String) } });
  });

  test("answers preflights with CORS headers, and OPTIONS of unknown paths with 404", async () => {
    const ask = (path: string) => {
      const headers = { origin, "access-control-request-method": "PATCH" };
      return fetch(server.url + path, {
        method: "OPTIONS",
        headers: { ...headers, "x-request-id": "dev-options" },
      });
    };
    const answer = await ask("/api/chat/channels/unreads");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": expect.stringContaining("PATCH"),
      "x-request-id": "dev-options",
    });
    const lost = await ask("/api/nowhere");
    expect([lost.status, await lost.json()]).toMatchObject([
      404,
      { code: "not_found", requestId: "dev-options" },
    ]);
  });

  test("runs as one process whose routes see events from its websockets", async () => {
    const alice = await createApiPerson(server.url, "alice", mattermost.url);
    const isCollapsed = async () => (await alice.chat("GET", "/threads")).isCollapsed;
    const client = await openWebsocket(server.url, `?token=${alice.token}`);
    try {
      expect(await isCollapsed()).toBe(true);
      threads = "disabled";
      await mattermost.admin("PUT", "/config/patch", { TeamSettings: { EnableOpenServer: false } });
      await expect.poll(isCollapsed).toBe(false);
    } finally {
      client.socket.close();
      await client.closed;
    }
  });
});

describe("npm run quickstart", () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const script = "lib/cli/quickstart.mjs";
  const inTree = (path: string) => join(folder, path);
  const put = (path: string, text = "") => {
    mkdirSync(dirname(inTree(path)), { recursive: true });
    writeFileSync(inTree(path), text, { mode: 0o755 });
  };
  const settle = (atSeconds: number, ...paths: string[]) => {
    for (const path of paths) utimesSync(inTree(path), atSeconds, atSeconds);
  };
  const later = Date.now() / 1000 + 1000;

  /** An `npm` that records its calls and creates the files that quickstart checks. */
  const npm = `#!/bin/sh
cd "$(dirname "$0")/.." && echo "$*" >> calls && mkdir -p node_modules dist .next || exit 9
case "$1" in
  ci) : > node_modules/.package-lock.json ;;
  run) : > .next/BUILD_ID; echo 'console.log("Hivegate serves", process.argv[2])' > dist/server.js ;;
esac
`;
  const asked = () => (existsSync(inTree("calls")) ? readFileSync(inTree("calls"), "utf8").split("\n") : []);
  const command = (settings: Record<string, string> = {}): Parameters<typeof startCommand> => [
    process.execPath,
    [inTree(script)],
    { settings: { PATH: `${inTree("bin")}:${process.env.PATH}`, ...settings }, cwd: tmpdir() },
  ];
  const quickstart = () => startCommand(...command());
  const steps = async () => {
    await rm(inTree("calls"), { force: true });
    expect(await quickstart()).toMatchObject({
      code: 0,
      output: expect.stringContaining("serves --sandbox"),
    });
    return asked().flatMap((line) => line.split(" --")[0] || []);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "commands-"));
    put(script, readFileSync(script, "utf8"));
    put("bin/npm", npm);
    put("package-lock.json");
    put("public/emoji/en.json");
    put("public/sw.js");
  });

  test("installs and builds a bare checkout and starts it on the sandbox; later it only starts", async () => {
    expect(await steps()).toEqual(["ci", "run"]);
    expect(await steps()).toEqual([]);
  });

  test("rebuilds after edits, and reinstalls after changes to the lock file", async () => {
    await steps();
    settle(later, "public/emoji/en.json", "public/sw.js");
    expect(await steps(), "files that the build wrote").toEqual([]);
    settle(later, script);
    expect(await steps()).toEqual(["run"]);
    settle(later, "package-lock.json");
    expect(await steps()).toEqual(["ci", "run"]);
  });

  test("exits with npm's status and starts nothing if the installation fails", async () => {
    put("bin/npm", `${npm}\nexit 7`);
    expect(await quickstart()).toMatchObject({ code: 7, output: expect.not.stringContaining("serves") });
    expect(asked()).toEqual(["ci --include=dev --no-audit --no-fund", ""]);
  });

  test("serves the whole product once it is installed and built", async () => {
    if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
      throw new Error("This test runs the built server: npm run build");
    for (const name of ["node_modules", "dist", ".next"]) symlinkSync(resolve(name), inTree(name));
    cpSync("next.config.mjs", inTree("next.config.mjs"));
    put("bin/npm", "#!/bin/sh\nexit 7");
    // Makes these files older than any build.
    settle(0, "package-lock.json", "next.config.mjs", "public/emoji", "public/sw.js", "lib/cli", script);
    const settings = { NODE_ENV: "production", PORT: "0", DATA_DIR: inTree("data") };
    const server = await start(...command(settings));
    try {
      await expectToServe(server.url, { chat: { url: expect.any(String) } });
    } finally {
      server.child.kill("SIGTERM");
      await server.exited;
    }
  });
});
