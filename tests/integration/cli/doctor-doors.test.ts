import { afterEach, describe, expect, test } from "vitest";
import { examineDoors, examinePort, isFacilitator } from "../../../lib/cli/examine-doors.ts";
import { loadConfig } from "../../../lib/config.ts";
import { LARGEST_UPLOAD } from "../../../lib/contract/limits.ts";
import { freePort } from "../../harness/free-port.ts";
import { serveNode, serveWeb, type WebServer } from "../../harness/serve-web.ts";

const open: WebServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function serve(answer: (path: string) => Response): Promise<string> {
  const server = await serveWeb((request) => answer(new URL(request.url).pathname));
  open.push(server);
  return server.url;
}

/** Returns an address where no server listens. */
const findNobody = async () => `http://127.0.0.1:${await freePort()}`;

/** Returns the doctor's findings about a gateway with these settings, by subject. */
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
  test("reports a port taken by another program, but not by the gateway itself", async () => {
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

  test("reports a dead or wrong facilitator, and lists the networks of a good one", async () => {
    const supported = await serve(() => Response.json({ kinds: [{ network: "chain:mainnet" }] }));
    const none = await serve(() => new Response("<html>"));
    const foreign = await serve(() => Response.json({ kinds: [{ network: "chain:sandbox" }] }));
    expect((await examine({ FACILITATOR_URL: foreign })).FACILITATOR_URL).toMatchObject({
      isFine: false,
      detail: expect.stringMatching(
        /^settles for chain:sandbox, and this gateway sells on chain:mainnet or /,
      ),
      advice: expect.stringContaining("of the same chain"),
    });
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

  test("reports a proxy that blocks websockets", async () => {
    const through = "websocket through PUBLIC_URL";
    const refusal = { error: "Sign in first.", code: "unauthorized", requestId: "r-1" };
    const gateway = await serve(() => Response.json({ status: "ok" }));
    const PORT = new URL(gateway).port;
    const lookThrough = async (PUBLIC_URL: string, settings = { PORT }) =>
      (await examine({ PUBLIC_URL, ...settings }))[through];
    const passing = await serve(() => Response.json(refusal, { status: 401 }));
    expect(await lookThrough(passing)).toMatchObject({ isFine: true, detail: "reaches the gateway" });
    for (const [status, advice] of [
      [400, "Configure the proxy to pass upgrades on"],
      [401, "Turn off the proxy's password"],
      [301, "Correct PUBLIC_URL"],
      [502, "Start the gateway"],
    ] as const) {
      const standing = await serve(() => new Response("{}", { status }));
      expect(await lookThrough(standing)).toMatchObject({
        isFine: false,
        detail: `is answered with ${status}`,
        advice: expect.stringContaining(advice),
      });
    }
    const nobody = await findNobody();
    expect(await lookThrough(nobody)).toMatchObject({
      isFine: false,
      detail: "is not answered (ECONNREFUSED)",
      advice: expect.stringContaining("Start the proxy"),
    });
    const plain = nobody.replace("http:", "https:").replace(/\d+$/, new URL(passing).port);
    expect(await lookThrough(plain)).toMatchObject({
      isFine: false,
      advice: expect.stringContaining("certificate"),
    });
    expect(await lookThrough(nobody, { PORT: String(await freePort()) })).toMatchObject({
      isFine: true,
      isWarning: true,
      advice: expect.stringContaining("Start the gateway, then run this again"),
    });
  });

  test("reports a proxy that drops the upgrade header and passes the rest of the handshake", async () => {
    // The gateway answers a plain GET like this, because it checks the token before the upgrade.
    const refuse = (status: number, code: string) =>
      Response.json({ error: "No.", code, requestId: "r-1" }, { status });
    const dropping = await serveWeb(({ headers }) =>
      headers.has("authorization") ? refuse(400, "invalid_upgrade") : refuse(401, "unauthorized"),
    );
    open.push(dropping);
    const findings = await examine({ PUBLIC_URL: dropping.url, PORT: new URL(dropping.url).port });
    expect(findings["websocket through PUBLIC_URL"]).toMatchObject({
      isFine: false,
      detail: "is answered with 400",
      advice: expect.stringContaining("Configure the proxy to pass upgrades on"),
    });
  });

  test.each([
    ["a proxy limited to 1 MiB", 1024 * 1024, { isFine: false, advice: expect.stringContaining("11m") }],
    [
      "a proxy that passes the largest picture",
      LARGEST_UPLOAD,
      { isFine: true, detail: "of 10 MiB reach the gateway" },
    ],
  ])("sends a body as large as the largest picture through %s", async (_, most, expected) => {
    const gateway = await serveNode((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on("end", () => {
        const isTooLarge = bytes > most;
        response.writeHead(isTooLarge ? 413 : 401, { "content-type": "application/json" });
        response.end(
          isTooLarge ? "<html>" : JSON.stringify({ error: "No.", code: "unauthorized", requestId: "r-1" }),
        );
      });
    });
    open.push(gateway);
    const findings = await examine({ PUBLIC_URL: gateway.url, PORT: new URL(gateway.url).port });
    expect(findings["pictures through PUBLIC_URL"]).toMatchObject(expected);
  });

  test("warns about an https address when TRUST_PROXY does not count its proxy", async () => {
    const PUBLIC_URL = "https://127.0.0.1:1";
    expect((await examine({ PUBLIC_URL })).TRUST_PROXY).toMatchObject({
      isFine: true,
      isWarning: true,
      advice: expect.stringContaining("usually 1"),
    });
    expect(await examine({ PUBLIC_URL, TRUST_PROXY: "1" })).not.toHaveProperty("TRUST_PROXY");
    expect(await examine()).not.toHaveProperty("TRUST_PROXY");
  });

  test("accepts a port taken by the running facilitator itself", async () => {
    const { hostname: host, port } = new URL(
      await serve((path) =>
        path === "/supported" ? Response.json({ kinds: [] }) : new Response("no", { status: 404 }),
      ),
    );
    const place = { host, port: Number(port) };
    expect((await examinePort(place, isFacilitator)).finding).toMatchObject({ isFine: true });
    expect((await examinePort(place)).finding).toMatchObject({ isFine: false });
  });

  test("accepts cookies over plain http in a private network, and reports them in a public one", async () => {
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
