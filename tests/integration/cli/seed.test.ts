import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "dotenv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bundleOf } from "../../harness/bundled-processes.ts";
import { collectOutput } from "../../harness/collect-output.ts";
import { freePort } from "../../harness/free-port.ts";
import { serveWeb } from "../../harness/serve-web.ts";
import { callMattermost, startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

let folder: string;
let mattermost: TestMattermost | undefined;
const settingsFile = () => join(folder, "gateway.env");
const adminFile = () => join(folder, "admin.json");
const written = () => parse(readFileSync(settingsFile()));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seed-"));
});
afterEach(async () => {
  await mattermost?.close();
  mattermost = undefined;
  await rm(folder, { recursive: true, force: true });
});

const startBare = async (options: Parameters<typeof startTestMattermost>[0] = {}) => {
  mattermost = await startTestMattermost({
    isBare: true,
    enableUserAccessTokens: false,
    enableOpenServer: true,
    maxUsersPerTeam: 50,
    ...options,
  });
  return mattermost.url;
};

function start(url: string, environment: Record<string, string> = {}) {
  const files = ["--settings", settingsFile(), "--admin", adminFile()];
  const child = spawn(process.execPath, [bundleOf("lib/cli/seed.ts"), url, ...files], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...environment },
  });
  const { output, onGrowth } = collectOutput(child);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output: output() }));
  return { onGrowth, ended };
}
const seed = (...given: Parameters<typeof start>) => start(...given).ended;

const call = (url: string, method: string, path: string, body?: unknown) =>
  callMattermost(url, written().CHAT_ADMIN_TOKEN ?? "", method, path, body);

describe("npm run seed", () => {
  test("creates an admin, settings, a token and a team on a fresh server", async () => {
    const url = await startBare();
    const { code, output } = await seed(url);
    expect({ code, output }).toMatchObject({ code: 0 });
    const settings = written();
    expect(settings).toMatchObject({
      CHAT_BASE_URL: url,
      SESSION_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
      METRICS_TOKEN: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const me = await call(url, "GET", "/users/me");
    expect(me.body).toMatchObject({ roles: "system_admin system_user" });
    expect((await call(url, "GET", "/config")).body).toEqual({
      ServiceSettings: { EnableUserAccessTokens: true },
      TeamSettings: { EnableOpenServer: false, MaxUsersPerTeam: 50_000 },
      PrivacySettings: { ShowEmailAddress: false },
    });
    const team = await call(url, "GET", `/teams/${settings.CHAT_TEAM_ID}`);
    expect(team.body).toMatchObject({ name: "hivegate", type: "I", delete_at: 0 });
  });

  test("creates an admin on Mattermost 7, whose passwords need both cases, a digit and a symbol", async () => {
    const { code, output } = await seed(await startBare({ flavour: "v7" }));
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  test("keeps its files readable only by the owner and prints no secret", async () => {
    const { output } = await seed(await startBare());
    const { username, password } = JSON.parse(readFileSync(adminFile(), "utf8"));
    for (const file of [settingsFile(), adminFile()]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(output).toContain(username);
    const { SESSION_SECRET, METRICS_TOKEN, CHAT_ADMIN_TOKEN } = written();
    for (const secret of [password, SESSION_SECRET, METRICS_TOKEN, CHAT_ADMIN_TOKEN])
      expect(output).not.toContain(secret);
  });

  test("creates nothing on a second run, and does not lower a raised team size", async () => {
    const url = await startBare();
    await seed(url);
    const first = [readFileSync(settingsFile(), "utf8"), readFileSync(adminFile(), "utf8")];
    await call(url, "PUT", "/config/patch", { TeamSettings: { MaxUsersPerTeam: 90_000 } });
    const { code, output } = await seed(url, { CHAT_ADMIN_TOKEN: "", CHAT_TEAM_ID: "" });
    expect({ code, output }).toEqual({
      code: 0,
      output: `The gateway's settings stand in ${settingsFile()}\n`,
    });
    expect([readFileSync(settingsFile(), "utf8"), readFileSync(adminFile(), "utf8")]).toEqual(first);
    expect((await call(url, "GET", "/config")).body.TeamSettings.MaxUsersPerTeam).toBe(90_000);
    expect((await call(url, "GET", "/users/me/tokens")).body).toHaveLength(1);
  });

  test("resumes after an interrupted run", async () => {
    const url = await startBare();
    const admin = { server: url, username: "hivegate_admin", password: "written down, not yet made" };
    writeFileSync(adminFile(), JSON.stringify(admin));
    expect(await seed(url), "before the admin was made").toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(adminFile(), "utf8"))).toEqual(admin);
    const { CHAT_TEAM_ID, SESSION_SECRET } = written();
    await rm(settingsFile());
    expect(await seed(url), "before the settings were written").toMatchObject({ code: 0 });
    expect(written().CHAT_TEAM_ID).toBe(CHAT_TEAM_ID);
    expect(written().SESSION_SECRET).not.toBe(SESSION_SECRET);
  });

  test("preserves other lines of the file, and restores an archived team", async () => {
    const url = await startBare();
    writeFileSync(settingsFile(), "# mine\nCHAT_TEAM_ID=\nPORT=4000\n\n# kept\nSESSION_SECRET=of before");
    await seed(url);
    const { CHAT_TEAM_ID, METRICS_TOKEN, CHAT_ADMIN_TOKEN } = written();
    expect(readFileSync(settingsFile(), "utf8")).toBe(
      [
        `# mine\nCHAT_TEAM_ID=${CHAT_TEAM_ID}\nPORT=4000\n\n# kept\nSESSION_SECRET=of before`,
        `CHAT_BASE_URL=${url}\nCHAT_ADMIN_TOKEN=${CHAT_ADMIN_TOKEN}\nMETRICS_TOKEN=${METRICS_TOKEN}\n`,
      ].join("\n"),
    );
    await call(url, "DELETE", `/teams/${CHAT_TEAM_ID}`);
    await seed(url);
    expect((await call(url, "GET", `/teams/${CHAT_TEAM_ID}`)).body).toMatchObject({ delete_at: 0 });
  });

  test("changes the last line of a repeated setting, and does not write through a link", async () => {
    const url = await startBare();
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, "untouched");
    symlinkSync(elsewhere, `${settingsFile()}.new`);
    writeFileSync(settingsFile(), `CHAT_BASE_URL=${url}\nCHAT_TEAM_ID=of old\nCHAT_TEAM_ID=of late\n`);
    expect(await seed(url)).toMatchObject({ code: 0 });
    expect((await call(url, "GET", `/teams/${written().CHAT_TEAM_ID}`)).status).toBe(200);
    expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
    expect(lstatSync(settingsFile()).isFile()).toBe(true);
  });

  test("creates the same admin again when the server has lost its data, and corrects the settings", async () => {
    const port = await freePort();
    const url = await startBare({ port });
    await seed(url);
    const admin = readFileSync(adminFile(), "utf8");
    const { SESSION_SECRET, CHAT_ADMIN_TOKEN } = written();
    await mattermost?.close();
    await startBare({ port });
    expect(await seed(url)).toMatchObject({ code: 0 });
    expect(readFileSync(adminFile(), "utf8")).toBe(admin);
    expect(written().SESSION_SECRET).toBe(SESSION_SECRET);
    expect(written().CHAT_ADMIN_TOKEN).not.toBe(CHAT_ADMIN_TOKEN);
    expect((await call(url, "GET", "/users/me")).status).toBe(200);
  });

  test("uses the environment's token and team on a server that another admin set up", async () => {
    mattermost = await startTestMattermost();
    const { url, adminToken, teamId } = mattermost;
    const { code, output } = await seed(url, { CHAT_ADMIN_TOKEN: adminToken, CHAT_TEAM_ID: teamId });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(written()).toMatchObject({ CHAT_ADMIN_TOKEN: adminToken, CHAT_TEAM_ID: teamId });
    expect(existsSync(adminFile())).toBe(false);
  });

  test("creates no admin on a server with users, even with open sign-up, and gives advice", async () => {
    mattermost = await startTestMattermost({ enableOpenServer: true });
    const { code, output } = await seed(mattermost.url);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^has_other_users: .*Set CHAT_ADMIN_TOKEN to/),
    });
    expect((await mattermost.admin("GET", "/users")).body).toHaveLength(1);
    expect([existsSync(adminFile()), existsSync(settingsFile())]).toEqual([false, false]);
  });

  test("sends token and password only to the server that they belong to", async () => {
    const theirs = "https://chat.example.com/api/v4";
    const seen: string[] = [];
    const other = await serveWeb(async (request) => {
      seen.push(`${request.headers.get("authorization")} ${await request.text()}`);
      return request.url.includes("/system/ping")
        ? Response.json({ status: "OK" })
        : new Response(null, { status: 404 });
    });
    writeFileSync(settingsFile(), `CHAT_BASE_URL=${theirs}\nCHAT_ADMIN_TOKEN=their-token\n`);
    const admin = { server: theirs, username: "hivegate_admin", password: "their-password" };
    writeFileSync(adminFile(), JSON.stringify(admin));
    try {
      expect(await seed(`${other.url}/api/v4`)).toEqual({
        code: 1,
        output: expect.stringMatching(
          /^other_server: .* Name another file for this server: --admin FILE\.\n$/,
        ),
      });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.join("\n")).not.toMatch(/their-/);
    } finally {
      await other.close();
    }
  });

  test("waits for a starting server, and says so", async () => {
    const port = await freePort();
    const { onGrowth, ended } = start(`http://127.0.0.1:${port}/api/v4`);
    await new Promise<void>((resolve) =>
      onGrowth((text) => {
        if (/^Waiting for Mattermost at http:\S+ \(0 s\): ECONNREFUSED$/m.test(text)) resolve();
      }),
    );
    await startBare({ port });
    expect(await ended).toMatchObject({ code: 0 });
  });

  test("reports that an address lacks /api/v4", async () => {
    const url = await startBare();
    const { code, output } = await seed(url.replace(/\/api\/v4$/, ""));
    expect([code, output]).toEqual([1, expect.stringContaining(`run this again with that address`)]);
    expect(output).toContain(url);
  });

  test("names the settings that the server's environment overrides", async () => {
    const held = {
      ServiceSettings: { EnableUserAccessTokens: false },
      TeamSettings: { EnableOpenServer: false, MaxUsersPerTeam: 50_000 },
      PrivacySettings: { ShowEmailAddress: false },
    };
    const answers: Record<string, unknown> = {
      "/api/v4/system/ping?get_server_status=true": { status: "OK" },
      "/api/v4/users/me": { id: "i".repeat(26), username: "root", roles: "system_admin" },
      "/api/v4/config": held,
      "/api/v4/config/patch": held,
    };
    const server = createServer(({ url = "" }, response) => response.end(JSON.stringify(answers[url])));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const outcome = await seed(`http://127.0.0.1:${port}/api/v4`, { CHAT_ADMIN_TOKEN: "t".repeat(26) });
    server.close();
    expect(outcome).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^settings_held: .*: ServiceSettings\.EnableUserAccessTokens to true\. Change/,
      ),
    });
  });

  test.each([
    ["without an address", ""],
    ["with an address that lacks its scheme", "chat.example.com"],
  ])("prints its usage %s", async (_, url) => {
    expect(await seed(url)).toMatchObject({
      code: 78,
      output: expect.stringContaining("npm run seed -- http"),
    });
  });
});
