import { afterEach, describe, expect, test } from "vitest";
import { examineDoors } from "../../../lib/cli/examine-doors.ts";
import { loadConfig } from "../../../lib/config.ts";
import { freePort } from "../../harness/free-port.ts";
import { serveWeb, type WebServer } from "../../harness/serve-web.ts";

const open: WebServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function serve(answer: (path: string) => Response): Promise<string> {
  const server = await serveWeb((request) => answer(new URL(request.url).pathname));
  open.push(server);
  return server.url;
}

/** An address at which nobody listens. */
const findNobody = async () => `http://127.0.0.1:${await freePort()}`;

/** What the doctor finds at the doors of a gateway with these settings, by subject. */
async function examine(settings: Record<string, string> = {}) {
  const config = loadConfig({
    CHAT_BASE_URL: "https://chat.example/api/v4/",
    CHAT_ADMIN_TOKEN: "a".repeat(26),
    CHAT_TEAM_ID: "t".repeat(26),
    SESSION_SECRET: "s".repeat(32),
    HOST: "127.0.0.1",
    PORT: "0",
    ...settings,
  });
  return Object.fromEntries((await examineDoors(config)).map((finding) => [finding.subject, finding]));
}

describe("the doctor", () => {
  test("finds a port that another program has, and none where the gateway itself has it", async () => {
    const other = new URL(await serve(() => new Response("not ours")));
    const ours = new URL(
      await serve((path) =>
        path === "/api/health/live" ? Response.json({ status: "ok" }) : new Response("no", { status: 404 }),
      ),
    );
    expect((await examine({ PORT: other.port })).PORT).toMatchObject({
      isFine: false,
      detail: `${other.port} is in use by another program`,
      advice: expect.stringContaining("Stop that program"),
    });
    expect((await examine({ PORT: ours.port })).PORT).toMatchObject({ isFine: true });
    expect((await examine({ PORT: String(await freePort()) })).PORT).toMatchObject({ isFine: true });
    expect((await examine({ HOST: "192.0.2.1" })).PORT).toMatchObject({
      isFine: false,
      advice: "Correct HOST and PORT.",
    });
  });

  test("finds a facilitator that is dead or none, and names the networks of a good one", async () => {
    const supported = await serve(() => Response.json({ kinds: [{ network: "chain:mainnet" }] }));
    const none = await serve(() => new Response("<html>"));
    for (const FACILITATOR_URL of [none, await findNobody()])
      expect((await examine({ FACILITATOR_URL })).FACILITATOR_URL).toMatchObject({
        isFine: false,
        advice: expect.stringContaining("npm run facilitator"),
      });
    expect((await examine({ FACILITATOR_URL: supported })).FACILITATOR_URL).toMatchObject({
      isFine: true,
      detail: "settles for chain:mainnet",
    });
    expect(await examine()).not.toHaveProperty("FACILITATOR_URL");
  });

  test("finds a proxy that passes no websocket on", async () => {
    const through = "websocket through PUBLIC_URL";
    const passing = await serve(() => Response.json({ code: "unauthorized" }, { status: 401 }));
    const plain = await serve(() => Response.json({ code: "invalid_upgrade" }, { status: 400 }));
    expect((await examine({ PUBLIC_URL: passing }))[through]).toMatchObject({ isFine: true });
    expect((await examine({ PUBLIC_URL: plain }))[through]).toMatchObject({
      isFine: false,
      detail: "is answered with 400",
      advice: expect.stringContaining("Let the proxy pass upgrades on"),
    });
    expect((await examine({ PUBLIC_URL: await findNobody() }))[through]).toMatchObject({
      isFine: false,
      detail: "is not answered",
    });
  });

  test("says what plain http does to cookies: on a private network a choice, on the open one a fault", async () => {
    expect((await examine()).PUBLIC_URL).toMatchObject({
      isFine: true,
      detail: expect.stringContaining("is not set"),
    });
    expect((await examine({ PUBLIC_URL: "http://192.0.2.1:1" })).PUBLIC_URL).toMatchObject({
      isFine: false,
      advice: expect.stringContaining("Put TLS in front"),
    });
    expect((await examine({ PUBLIC_URL: await findNobody() })).PUBLIC_URL).toMatchObject({
      isFine: true,
      detail: expect.stringContaining("on a private network"),
    });
    expect((await examine({ PUBLIC_URL: "https://127.0.0.1:1" })).PUBLIC_URL).toMatchObject({
      isFine: true,
      detail: "is https",
    });
  });
});
