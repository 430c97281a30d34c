import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { CodedError } from "../../../lib/errors.ts";
import { createMattermost } from "../../../lib/mattermost/mattermost.ts";
import { readServerStatus, readUserLimit, standingOf } from "../../../lib/mattermost/server-status.ts";
import { Secret } from "../../../lib/secret.ts";
import { serveNode } from "../../harness/serve-web.ts";

const open: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Answer = [status: number, body: unknown] | "hang";

/** Starts a Mattermost whose answer depends on the path and its query. */
async function answering(answerOf: (path: string) => Answer) {
  const server = await serveNode((incoming, outgoing: ServerResponse) => {
    const answer = answerOf(incoming.url ?? "");
    if (answer !== "hang") outgoing.writeHead(answer[0]).end(JSON.stringify(answer[1]));
  });
  const mattermost = createMattermost({ baseUrl: `${server.url}/api/v4`, timeoutMs: 5000 });
  open.push(async () => {
    await mattermost.close();
    await server.close();
  });
  return mattermost;
}

describe("a Mattermost server", () => {
  const token = new Secret("a".repeat(26));
  const isReport = (path: string) => path.includes("get_server_status=true");
  const answers: Array<[string, (path: string) => Answer, unknown]> = [
    [
      "counts as serving when all is well",
      () => [200, { status: "OK", database_status: "OK" }],
      { isServing: true, isDatabaseUp: true },
    ],
    [
      "counts as serving when it is too old to report its database",
      () => [200, { status: "OK" }],
      { isServing: true, isDatabaseUp: true },
    ],
    [
      "counts as serving while only its files are down",
      (path) =>
        isReport(path)
          ? [500, { status: "UNHEALTHY", database_status: "OK", filestore_status: "UNHEALTHY" }]
          : [200, { status: "OK" }],
      { isServing: true, isDatabaseUp: true },
    ],
    [
      "reports its database's failure when its status is 500, even if its ping succeeds",
      (path) =>
        isReport(path)
          ? [500, { status: "UNHEALTHY", database_status: "UNHEALTHY", filestore_status: "OK" }]
          : [200, { status: "OK" }],
      { isServing: false, isDatabaseUp: false },
    ],
    [
      "reports its database's failure when its status hangs",
      (path) => (isReport(path) ? "hang" : [200, { status: "OK" }]),
      { isServing: false, isDatabaseUp: false },
    ],
    [
      "counts as serving while only its files hang, which delays its status",
      (path) => {
        if (isReport(path)) return "hang";
        return [200, path.endsWith("/users/stats") ? { total_users_count: 3 } : { status: "OK" }];
      },
      { isServing: true, isDatabaseUp: true },
    ],
    [
      "reports its database's failure when its status hangs and its user count fails",
      (path) => {
        if (isReport(path)) return "hang";
        return path.endsWith("/users/stats") ? [500, { id: "store.sql.app_error" }] : [200, { status: "OK" }];
      },
      { isServing: false, isDatabaseUp: false },
    ],
    [
      "reports its own failure while the database is up",
      (path) => [500, { status: "UNHEALTHY", ...(isReport(path) && { database_status: "OK" }) }],
      { isServing: false, isDatabaseUp: true },
    ],
  ];
  it.each(answers)("%s", async (_, answerOf, expected) => {
    expect(await readServerStatus(await answering(answerOf), token)).toEqual(expected);
  });

  it("has an unknown status when another program answers", async () => {
    const mattermost = await answering(() => [502, "a proxy's page"]);
    await expect(readServerStatus(mattermost, token)).rejects.toMatchObject({ code: "backend_unreachable" });
  });
});

describe("a server's user limit", () => {
  const limitOf = async (...answer: [number, unknown]) =>
    readUserLimit((await answering(() => answer)).asAdmin("a".repeat(26)));

  it("is its hard limit, with the number of active users", async () => {
    const body = { maxUsersLimit: 200, maxUsersHardLimit: 250, activeUserCount: 241 };
    expect(await limitOf(200, body)).toEqual({ active: 241, limit: 250 });
  });

  it("is absent if the server has none, denies access or is too old, but an expired session is an error", async () => {
    expect(await limitOf(200, { maxUsersHardLimit: 0, activeUserCount: 9 })).toBe(null);
    expect(await limitOf(403, { id: "api.context.permissions.app_error" })).toBe(null);
    expect(await limitOf(404, { id: "api.context.404.app_error" })).toBe(null);
    await expect(limitOf(401, { id: "api.context.session_expired.app_error" })).rejects.toBeInstanceOf(
      CodedError,
    );
  });

  it("counts as near from four fifths on, and as reached when the server is full", () => {
    const standings = [199, 200, 249, 250, 251].map((active) => standingOf({ active, limit: 250 }));
    expect(standings).toEqual(["roomy", "near", "near", "full", "full"]);
  });
});
