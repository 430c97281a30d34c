import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAnswer } from "../../harness/check-answer.ts";
import { type ContractMattermost, startContractMattermost } from "../../harness/contract-mattermost.ts";
import { freePort } from "../../harness/free-port.ts";
import { requestBootstrap } from "../../harness/start-chat.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const metricsToken = "metrics-token-of-16";

let chain: SandboxChain;
let mattermost: ContractMattermost;
let settings: Record<string, string>;

beforeAll(async () => {
  chain = await startSandboxChain();
  mattermost = await startContractMattermost();
  settings = {
    CHAT_BASE_URL: mattermost.baseUrl,
    CHAT_ADMIN_TOKEN: mattermost.adminToken,
    CHAT_TEAM_ID: mattermost.teamId,
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
  };
});

afterAll(async () => {
  await mattermost.close();
  await chain.close();
});

const withGateway = async (
  given: Parameters<typeof startGateway>[0],
  check: (gateway: LocalGateway) => Promise<void>,
) => {
  const gateway = await startGateway(given);
  try {
    await check(gateway);
  } finally {
    await gateway.close();
  }
};
const get = async (gateway: LocalGateway, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(gateway.url + path, { headers });
  const body = await response.json();
  checkAnswer("GET", gateway.url + path, response.status, body);
  return { status: response.status, headers: response.headers, body };
};

describe("GET /api/health/live", () => {
  test("returns 200 while the process runs, even without Mattermost and chain", () =>
    withGateway({}, async (gateway) => {
      expect(await get(gateway, "/api/health/live")).toMatchObject({ status: 200, body: { status: "ok" } });
    }));
});

describe("GET /api/health/ready", () => {
  test("returns 200 with the state of each part when all of them answer", () =>
    withGateway({ settings }, async (gateway) => {
      await chain.produceBlocks();
      const { status, body } = await get(gateway, "/api/health/ready");
      expect([status, body]).toMatchObject([
        200,
        {
          status: "ok",
          parts: {
            mattermost: { ok: true, ms: expect.any(Number) },
            store: { ok: true },
            chain: { ok: true, headAgeSeconds: expect.any(Number) },
          },
        },
      ]);
    }));

  test("returns 503 without addresses when Mattermost is down", async () => {
    const url = `http://127.0.0.1:${await freePort()}/api/v4`;
    await withGateway({ settings: { ...settings, CHAT_BASE_URL: url } }, async (gateway) => {
      const { status, body } = await get(gateway, "/api/health/ready");
      expect([status, body]).toMatchObject([
        503,
        { status: "unavailable", parts: { mattermost: { ok: false } } },
      ]);
      expect(JSON.stringify(body)).not.toContain("127.0.0.1");
    });
  });

  test("returns 200 degraded when only the chain is down, as signed-in users can chat", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await withGateway({ settings: { ...settings, HIVE_NODES: url } }, async (gateway) => {
      expect(await get(gateway, "/api/health/ready")).toMatchObject({
        status: 200,
        body: { status: "degraded", parts: { chain: { ok: false }, mattermost: { ok: true } } },
      });
    });
  });

  test("answers simultaneous requests from one probe", () =>
    withGateway({ settings }, async (gateway) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => get(gateway, "/api/health/ready")));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }));

  test("returns 503 while the process shuts down", () =>
    withGateway({ settings }, async (gateway) => {
      gateway.services.http.isDraining = true;
      expect(await get(gateway, "/api/health/ready")).toMatchObject({
        status: 503,
        body: { status: "draining" },
      });
    }));
});

describe("GET /api/metrics", () => {
  test("returns 404 without METRICS_TOKEN", () =>
    withGateway({}, async (gateway) => {
      const headers = { authorization: `Bearer ${metricsToken}` };
      expect(await get(gateway, "/api/metrics", headers)).toMatchObject({ status: 404 });
    }));

  test("returns 401 without the token, and counts requests by route and websockets by outcome", () =>
    withGateway({ settings: { ...settings, METRICS_TOKEN: metricsToken } }, async (gateway) => {
      expect(await get(gateway, "/api/metrics")).toMatchObject({
        status: 401,
        body: { code: "unauthorized" },
      });
      await get(gateway, `/api/chat/channels/${"c".repeat(26)}/posts`);
      await expect(openWebsocket(gateway.url, "?token=short")).rejects.toThrow();
      const response = await fetch(`${gateway.url}/api/metrics`, {
        headers: { authorization: `Bearer ${metricsToken}` },
      });
      expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
      const text = await response.text();
      expect(text).toContain(
        'hivegate_http_request_duration_seconds_count{method="GET",route="/api/chat/channels/[channelId]/posts",status="401"} 1',
      );
      expect(text, "counted once").not.toContain("{channelId}");
      expect(text).toContain('hivegate_websocket_upgrades_total{outcome="unauthorized"} 1');
      expect(text).not.toContain("c".repeat(26));
    }));

  test("counts calls to Mattermost by route and outcome, and bootstraps by outcome, without names or ids", () =>
    withGateway({ settings: { ...settings, METRICS_TOKEN: metricsToken } }, async (gateway) => {
      const { body } = await requestBootstrap(gateway.url, "alice", { community: "hive-100001" });
      await requestBootstrap(gateway.url, "alice", { accessToken: "nonsense" });
      const authorization = `Bearer ${body.token}`;
      await get(gateway, `/api/chat/channels/${body.channelId}/posts`, { authorization });
      await get(gateway, `/api/chat/channels/${"z".repeat(26)}/posts`, { authorization });
      const response = await fetch(`${gateway.url}/api/metrics`, {
        headers: { authorization: `Bearer ${metricsToken}` },
      });
      const text = await response.text();
      expect(text).toContain('hivegate_bootstraps_total{outcome="ok"} 1');
      expect(text).toContain('hivegate_bootstraps_total{outcome="unauthorized"} 1');
      for (const outcome of ["ok", "not_found"])
        expect(text).toContain(
          `hivegate_mattermost_request_duration_seconds_count{method="GET",route="/channels/{}",outcome="${outcome}"} 1`,
        );
      const labels = text.split("\n").filter((line) => line.startsWith("hivegate_"));
      for (const secret of ["alice", "hive-", body.userId, body.token, String(body.channelId)])
        expect(labels.join("\n")).not.toContain(secret);
    }));

  test("has few series, whatever close codes, methods and paths clients send", () =>
    withGateway({ settings: { ...settings, METRICS_TOKEN: metricsToken } }, async (gateway) => {
      const { body } = await requestBootstrap(gateway.url, "bob");
      for (const code of [1000, 3001, 3999, 4000, 4567]) {
        const { socket, closed } = await openWebsocket(gateway.url, `?token=${body.token}`);
        socket.close(code);
        await closed;
      }
      for (const method of ["PROPFIND", "M-SEARCH", "BIND"])
        await fetch(`${gateway.url}/api/${method}`, { method });
      const read = async () => {
        const headers = { authorization: `Bearer ${metricsToken}` };
        const text = await (await fetch(`${gateway.url}/api/metrics`, { headers })).text();
        return text.split("\n");
      };
      const closes = async () => (await read()).filter((line) => line.includes("closes_total{"));
      await expect
        .poll(closes)
        .toEqual([
          'hivegate_websocket_closes_total{code="1000"} 1',
          'hivegate_websocket_closes_total{code="3xxx"} 2',
          'hivegate_websocket_closes_total{code="4xxx"} 2',
        ]);
      const requests = (await read()).filter((line) =>
        line.includes("request_duration_seconds_count{method"),
      );
      // Next, behind the server, does not get requests with methods that no route file can have.
      const status = process.env.GATEWAY_THROUGH === "next" ? "405" : "404";
      expect(requests).toContain(
        `hivegate_http_request_duration_seconds_count{method="other",route="none",status="${status}"} 3`,
      );
      expect(requests.join("\n")).not.toMatch(/PROPFIND|M-SEARCH|BIND/);
    }));
});

describe("GET /api/sandbox", () => {
  test("returns 404 without a sandbox", () =>
    withGateway({}, async (gateway) => {
      expect(await get(gateway, "/api/sandbox")).toMatchObject({ status: 404, body: { code: "not_found" } });
    }));

  const sandboxOf = (hbd: string) => ({
    accounts: [{ name: "alice", hbd, keys: { posting: "5K" } }],
    chat: { url: mattermost.baseUrl, teamId: mattermost.teamId },
    chain: { url: chain.url, chainId: chain.chainId },
  });

  test("returns the sandbox's parts with the accounts' current balances", () =>
    withGateway({ sandbox: sandboxOf("7.000 HBD"), settings }, async (gateway) => {
      const body = sandboxOf("100.000 HBD");
      expect(await get(gateway, "/api/sandbox")).toMatchObject({ status: 200, body });
    }));

  test("returns initial balances while the chain is down", async () => {
    const settings = { HIVE_NODES: `http://127.0.0.1:${await freePort()}` };
    const sandbox = sandboxOf("7.000 HBD");
    await withGateway({ sandbox, settings }, async (gateway) => {
      expect(await get(gateway, "/api/sandbox")).toMatchObject({ status: 200, body: sandbox });
    });
  });
});

describe("GET /api/openapi.json", () => {
  test("returns the document with the public address as its server", () =>
    withGateway({ settings: { PUBLIC_URL: "https://gate.example" } }, async (gateway) => {
      const { status, headers, body } = await get(gateway, "/api/openapi.json");
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=300"]);
      expect(body).toMatchObject({ openapi: "3.1.0", servers: [{ url: "https://gate.example" }] });
    }));
});
