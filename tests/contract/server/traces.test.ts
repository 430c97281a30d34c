import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { serveNode } from "../../harness/serve-web.ts";
import { type Chat, request, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Collector, startCollector } from "../../harness/start-collector.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const traceparent = (flags = "01") => `00-${CALLER.traceId}-${CALLER.spanId}-${flags}`;

let chat: Chat;
let collector: Collector;
/** The headers that Mattermost received, by path. */
let told: Array<{ path: string; traceparent: string | undefined }>;
let gateway: LocalGateway | null = null;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());
beforeEach(async () => {
  collector = await startCollector();
  told = [];
  chat.proxy.treat(({ path, headers }) => {
    told.push({ path, traceparent: headers.traceparent as string | undefined });
    return "pass";
  });
});
afterEach(async () => {
  await end();
  await collector.close();
});

async function start(settings: Record<string, string> = {}) {
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...chat.settings, ...settings };
  gateway = await startGateway({ settings: given });
  return gateway.url;
}
/** Stops the gateway, after which its spans are complete. */
async function end() {
  await gateway?.close();
  gateway = null;
  return collector.spans;
}
const nameOf = ({ name }: { name: string }) => name;

describe("traces", () => {
  test("have a span for a request with child spans for its calls to Mattermost and the chain", async () => {
    const url = await start();
    const { headers } = await requestBootstrap(url, await chat.newAccount());
    const spans = await end();
    const root = spans.find(({ kind }) => kind === 2);
    expect(root).toMatchObject({
      name: "POST /api/chat/bootstrap",
      status: { code: 0 },
      facts: {
        "http.request.method": "POST",
        "http.route": "/api/chat/bootstrap",
        "http.response.status_code": "200",
        "hivegate.request_id": headers.get("x-request-id"),
      },
    });
    expect(root?.parentSpanId).toBeUndefined();
    const calls = spans.filter(({ kind }) => kind === 3);
    expect(new Set(calls.map(({ parentSpanId, traceId }) => [parentSpanId, traceId].join()))).toEqual(
      new Set([[root?.spanId, root?.traceId].join()]),
    );
    expect(calls.map(nameOf)).toEqual(expect.arrayContaining(["POST /users", "POST /users/{}/tokens"]));
    const chainCall = calls.find(({ facts }) => facts["rpc.system"] !== undefined);
    expect(chainCall?.facts).toMatchObject({
      "rpc.method": chainCall?.name,
      "server.address": new URL(chat.chain.url).host,
      "hivegate.outcome": "ok",
    });
    for (const { startTimeUnixNano, endTimeUnixNano } of calls) {
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0));
      expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0));
    }
  });

  test("hold templates and codes, but no token, name, id, query or text", async () => {
    const url = await start();
    const name = await chat.newAccount();
    const [community = ""] = await chat.newCommunities(1, name);
    const { body } = await requestBootstrap(url, name, { community });
    const authorization = `Bearer ${body.token}`;
    const path = `${url}/api/chat/channels/${body.channelId}/posts`;
    await request("POST", path, { message: "a sentence of mine" }, { authorization });
    await request("GET", `${url}/api/chat/users/search?q=findme`, undefined, { authorization });
    await request("GET", `${url}/api/nowhere/${name}`);
    const spans = await end();
    expect(spans.map(nameOf)).toEqual(
      expect.arrayContaining([
        "POST /api/chat/channels/[channelId]/posts",
        "GET /api/chat/users/search",
        "GET none",
      ]),
    );
    const sent = collector.received.map((one) => one.body).join("\n");
    for (const secret of [name, body.token, body.userId, body.channelId, community, "findme", "sentence"])
      expect(sent).not.toContain(secret);
  });

  test("are propagated with a request's calls to Mattermost, but to no chain node", async () => {
    const heard: unknown[] = [];
    const node = await serveNode((incoming, outgoing) => {
      heard.push(incoming.headers.traceparent);
      outgoing.writeHead(500).end();
    });
    const url = await start();
    const { body } = await requestBootstrap(url, await chat.newAccount());
    await request("GET", `${url}/api/chat/channels`, undefined, { authorization: `Bearer ${body.token}` });
    const spans = await end();
    const known = spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    const ofRequests = told.filter(({ path }) => path !== "/config/client");
    expect(ofRequests.length).toBeGreaterThan(3);
    for (const { path, traceparent } of ofRequests)
      expect([path, known]).toEqual([path, expect.arrayContaining([traceparent])]);

    const other = await start({ HIVE_NODES: node.url });
    expect((await requestBootstrap(other, await chat.newAccount())).status).toBe(503);
    const failed = (await end()).filter(({ facts }) => facts["hivegate.outcome"] === "no_answer");
    await node.close();
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]?.status).toEqual({ code: 2 });
    expect([heard.length > 0, new Set(heard)]).toEqual([true, new Set([undefined])]);
  });

  test("link to a stranger's trace without following its id or sampling", async () => {
    const url = await start();
    await fetch(`${url}/api/health/live`, { headers: { traceparent: traceparent("00") } });
    const [span] = await end();
    expect(span?.name).toBe("GET /api/health/live");
    expect(span?.traceId).not.toBe(CALLER.traceId);
    expect([span?.parentSpanId, span?.links]).toEqual([undefined, [CALLER]]);
  });

  test("continue the trace of the operator's proxy, unless it is marked as not sampled", async () => {
    const url = await start({ TRUST_PROXY: "1" });
    await fetch(`${url}/api/health/live`, { headers: { traceparent: traceparent() } });
    await fetch(`${url}/api/health/live`, { headers: { traceparent: traceparent("00") } });
    await fetch(`${url}/api/health/live`, { headers: { traceparent: "00-nonsense" } });
    const [continued, fresh, ...others] = await end();
    expect(others).toEqual([]);
    expect(continued).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
    expect([fresh?.traceId === CALLER.traceId, fresh?.parentSpanId]).toEqual([false, undefined]);
  });

  test("have a span for each opened or refused websocket", async () => {
    const url = await start();
    const { body } = await requestBootstrap(url, "alice");
    const { socket, closed } = await openWebsocket(url, `?token=${body.token}`);
    socket.close(1000);
    await closed;
    await expect(openWebsocket(url, "?token=short")).rejects.toThrow();
    const upgrades = (await end()).filter(({ name }) => name === "GET /api/chat/websocket");
    expect(upgrades.map(({ facts }) => facts["http.response.status_code"])).toEqual(["101", "401"]);
    const dial = collector.spans.find(({ parentSpanId }) => parentSpanId === upgrades[0]?.spanId);
    expect(dial?.name).toBe("GET /websocket");
  });

  test("cover no request if the configured share is 0", async () => {
    const url = await start({ OTEL_TRACES_SAMPLER_ARG: "0" });
    await requestBootstrap(url, await chat.newAccount());
    expect(await end()).toEqual([]);
    expect(told.map((call) => call.traceparent?.slice(-2))).toContain("00");
  });

  test("are off without a collector, and propagate nothing", async () => {
    const url = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "" });
    const headers = { traceparent: traceparent(), "content-type": "application/json" };
    await fetch(`${url}/api/chat/bootstrap`, { method: "POST", headers, body: '{"username":"alice"}' });
    await requestBootstrap(url, await chat.newAccount());
    expect([await end(), collector.received]).toEqual([[], []]);
    expect(new Set(told.map((call) => call.traceparent))).toEqual(new Set([undefined]));
  });

  test("fail no request while the collector is down", async () => {
    await collector.close();
    const url = await start({ LOG_LEVEL: "silent" });
    expect((await requestBootstrap(url, await chat.newAccount())).status).toBe(200);
  });
});
