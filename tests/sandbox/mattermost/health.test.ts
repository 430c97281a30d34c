import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, describe, expect, it } from "vitest";
import { startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

const servers: TestMattermost[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startTestMattermost>[0] = {}) {
  const server = await startTestMattermost(options);
  servers.push(server);
  return server;
}

/** Renames a table of the server's database while it runs. */
function breakDatabase({ dataDir }: TestMattermost): void {
  const database = new Libsql(join(dataDir, "mattermost.sqlite"));
  database.exec("ALTER TABLE settings RENAME TO away");
  database.close();
}

const REPORT = "/system/ping?get_server_status=true";

describe("the health of the sandbox's Mattermost", () => {
  it("names its parts on request, even in headers, and reports to admins whether it runs as root", async () => {
    const server = await start();
    const ada = await server.account("ada");
    const { status, body, headers } = await ada.api("GET", REPORT);
    expect([status, body]).toMatchObject([
      200,
      { status: "OK", database_status: "OK", filestore_status: "OK" },
    ]);
    expect(headers.get("database_status")).toBe("OK");
    expect(body).not.toHaveProperty("root_status");
    expect((await server.admin("GET", REPORT)).body.root_status).toBe(false);
    expect((await ada.api("GET", "/system/ping")).body).not.toHaveProperty("database_status");
  });

  it("reports a failing database with 500, or with 200 on request, and answers a plain ping with OK", async () => {
    const server = await start();
    breakDatabase(server);
    const { status, body } = await server.admin("GET", REPORT);
    expect([status, body]).toMatchObject([500, { status: "UNHEALTHY", database_status: "UNHEALTHY" }]);
    expect((await server.admin("GET", `${REPORT}&use_rest_semantics=true`)).status).toBe(200);
    expect((await server.admin("GET", "/system/ping")).body.status).toBe("OK");
  });

  it("reports an unlicensed server's user limit to admins, and to no one on 7.0", async () => {
    const { body } = await (await start({ maxUsers: 250 })).admin("GET", "/limits/server");
    expect(body).toMatchObject({ maxUsersLimit: 200, maxUsersHardLimit: 250, activeUserCount: 1 });
    const old = await (await start({ flavour: "v7" })).admin("GET", "/limits/server");
    expect([old.status, old.body.id]).toEqual([404, "api.context.404.app_error"]);
  });
});
