import { afterEach, describe, expect, test, vi } from "vitest";
import { createFacilitatorClient } from "#lib/x402/paywall/facilitator-client.ts";
import { freePort } from "../../../harness/free-port.ts";
import { serveWeb } from "../../../harness/serve-web.ts";

const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
afterEach(() => emitted.mockClear());
const warnings = () => emitted.mock.calls.map(([message]) => String(message));

const call = { x402Version: 1 } as never;

describe("a facilitator", () => {
  test.each([
    ["is missing", () => new Response("<html>", { status: 404 }), /is not there \(404\).*\/api\/x402/],
    ["is another program", () => new Response("<html>"), /does not answer as a facilitator.*facilitatorUrl/],
    ["redirects", () => new Response(null, { status: 301, headers: { location: "/x" } }), /redirects: give/],
    ["refuses the seller", () => new Response("no", { status: 403 }), /refuses this server/],
    ["fails", () => new Response("no", { status: 502 }), /fails: look at its log/],
  ])("is reported to the seller when it %s", async (_, answer, words) => {
    const server = await serveWeb(answer);
    const client = createFacilitatorClient(`${server.url}/x?key=secret`, 2000);
    expect(await client.verify(call)).toMatchObject({ kind: "unavailable" });
    await client.settle(call, "key");
    await server.close();
    expect(warnings()).toEqual([expect.stringMatching(words)]);
    expect(warnings()[0]).toContain(`${server.url}/x `);
    expect(warnings()[0]).not.toContain("secret");
  });

  test("is reported when it serves a chain other than the seller's", async () => {
    const server = await serveWeb(() =>
      Response.json({ isValid: false, invalidReason: "unsupported_network" }),
    );
    const client = createFacilitatorClient(server.url, 2000);
    expect(await client.verify(call)).toMatchObject({ kind: "answer" });
    await server.close();
    expect(warnings()).toEqual([expect.stringMatching(/serves another chain: correct facilitatorUrl/)]);
  });

  test("is reported when nothing listens at its address", async () => {
    const client = createFacilitatorClient(`http://127.0.0.1:${await freePort()}`, 2000);
    await client.verify(call);
    expect(warnings()).toEqual([
      expect.stringMatching(/does not answer: start it, or correct facilitatorUrl/),
    ]);
  });

  test("is not reported for refusals or requests to retry later", async () => {
    const answers = [
      Response.json({ isValid: false, invalidReason: "insufficient_funds" }),
      new Response("later", { status: 429 }),
    ];
    const server = await serveWeb(() => answers.shift() ?? new Response());
    const client = createFacilitatorClient(server.url, 2000);
    await client.verify(call);
    await client.verify(call);
    await server.close();
    expect(warnings()).toEqual([]);
  });
});
