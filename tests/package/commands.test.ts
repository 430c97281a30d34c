import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApiPerson } from "../e2e/support/api-person.ts";
import { type RunningServer, startCommand } from "../harness/start-command.ts";
import { startTestMattermost } from "../harness/start-mattermost.ts";
import { startRecordingProxy } from "../harness/start-recording-proxy.ts";
import { type Client, openWebsocket } from "../websocket/open-websocket.ts";

let folder: string;
let running: RunningServer | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
});

afterEach(async () => {
  running?.child.kill("SIGTERM");
  await running?.exited;
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command that serves until the test's end. */
const serve = async (...given: Parameters<typeof startCommand>) => {
  const started = await startCommand(...given);
  if ("code" in started) throw new Error(`ended with ${started.code}:\n${started.output}`);
  running = started;
  return started.url;
};

const expectToServe = async (url: string) => {
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Hivegate")]);
  const refused = await fetch(`${url}/api/chat/me`);
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: "unauthorized" }]);
  const lost = await fetch(`${url}/api/nowhere`);
  expect([lost.status, await lost.json()]).toMatchObject([404, { code: "not_found" }]);
  const sandbox = await fetch(`${url}/api/sandbox`);
  expect(await sandbox.json()).toMatchObject({ chat: { url: expect.any(String) } });
};

describe("npm run dev", () => {
  test("serves pages and routes from their sources, on the sandbox", { timeout: 180_000 }, async () => {
    const settings = { PORT: "0", DATA_DIR: folder };
    await expectToServe(await serve("npm", ["run", "--silent", "dev"], { settings }));
  });

  test("answers OPTIONS as the built server does", { timeout: 180_000 }, async () => {
    const settings = { PORT: "0", DATA_DIR: folder, ALLOWED_ORIGINS: "https://app.example.org" };
    const url = await serve("npm", ["run", "--silent", "dev"], { settings });
    const ask = (path: string) => {
      const headers = { origin: "https://app.example.org", "access-control-request-method": "PATCH" };
      return fetch(url + path, { method: "OPTIONS", headers: { ...headers, "x-request-id": "dev-options" } });
    };
    const answer = await ask("/api/chat/channels/unreads");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example.org",
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
});

describe("the parts of a development server", () => {
  test("are one gateway's: what a websocket hears of holds for the routes", {
    timeout: 180_000,
  }, async () => {
    const mattermost = await startTestMattermost();
    const front = await startRecordingProxy(mattermost.url);
    let client: Client | undefined;
    try {
      let threads = "always_on";
      front.treat(({ path }) =>
        path.startsWith("/config/client")
          ? { status: 200, text: JSON.stringify({ CollapsedThreads: threads }) }
          : "pass",
      );
      const settings = {
        PORT: "0",
        DATA_DIR: folder,
        CHAT_BASE_URL: front.url,
        CHAT_ADMIN_TOKEN: mattermost.adminToken,
        CHAT_TEAM_ID: mattermost.teamId,
      };
      const url = await serve("npm", ["run", "--silent", "dev"], { settings });
      const alice = await createApiPerson(url, "alice", mattermost.url);
      const isCollapsed = async () => (await alice.chat("GET", "/threads")).isCollapsed;
      client = await openWebsocket(url, `?token=${alice.token}`);
      expect(await isCollapsed()).toBe(true);
      threads = "disabled";
      await mattermost.admin("PUT", "/config/patch", { TeamSettings: { EnableOpenServer: false } });
      await expect.poll(isCollapsed).toBe(false);
    } finally {
      client?.socket.close();
      await client?.closed;
      await front.close();
      await mattermost.close();
    }
  });
});

describe("npm run quickstart", () => {
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

  /** An `npm` that writes down what it is asked for, and makes what quickstart looks at. */
  const npm = `#!/bin/sh
cd "$(dirname "$0")/.." && echo "$*" >> calls && mkdir -p node_modules dist .next || exit 9
case "$1" in
  ci) : > node_modules/.package-lock.json ;;
  run) : > .next/BUILD_ID; echo 'console.log("Hivegate serves", process.argv[2])' > dist/server.js ;;
esac
`;
  const asked = () => (existsSync(inTree("calls")) ? readFileSync(inTree("calls"), "utf8").split("\n") : []);
  const quickstart = (settings: Record<string, string> = {}) =>
    startCommand(process.execPath, [inTree(script)], {
      settings: { PATH: `${inTree("bin")}:${process.env.PATH}`, ...settings },
      cwd: tmpdir(),
    });
  const steps = async () => {
    await rm(inTree("calls"), { force: true });
    expect(await quickstart()).toMatchObject({
      code: 0,
      output: expect.stringContaining("serves --sandbox"),
    });
    return asked().flatMap((line) => line.split(" --")[0] || []);
  };

  beforeEach(() => {
    put(script, readFileSync(script, "utf8"));
    put("bin/npm", npm);
    put("package-lock.json");
    put("public/emoji/en.json");
  });

  test("installs and builds a bare checkout and starts it on the sandbox; the second time it only starts", async () => {
    expect(await steps()).toEqual(["ci", "run"]);
    expect(await steps()).toEqual([]);
  });

  test("builds again what was edited since, and installs again what the lock file changed", async () => {
    await steps();
    settle(later, "public/emoji/en.json");
    expect(await steps(), "a file that the build made").toEqual([]);
    settle(later, script);
    expect(await steps()).toEqual(["run"]);
    settle(later, "package-lock.json");
    expect(await steps()).toEqual(["ci", "run"]);
  });

  test("ends with npm's failure, and starts nothing", async () => {
    put("bin/npm", `${npm}\nexit 7`);
    expect(await quickstart()).toMatchObject({ code: 7, output: expect.not.stringContaining("serves") });
    expect(asked()).toEqual(["ci --include=dev --no-audit --no-fund", ""]);
  });

  test("serves the whole product where it is installed and built", { timeout: 60_000 }, async () => {
    if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
      throw new Error("This test runs the built server: npm run build");
    for (const name of ["node_modules", "dist", ".next"]) symlinkSync(resolve(name), inTree(name));
    cpSync("next.config.mjs", inTree("next.config.mjs"));
    put("bin/npm", "#!/bin/sh\nexit 7");
    // Older than whatever build there is.
    settle(0, "package-lock.json", "next.config.mjs", "public/emoji", "lib/cli", script);
    const settings = { NODE_ENV: "production", PORT: "0", DATA_DIR: inTree("data") };
    const started = await quickstart(settings);
    if ("code" in started) throw new Error(`ended with ${started.code}:\n${started.output}`);
    running = started;
    await expectToServe(started.url);
  });
});
