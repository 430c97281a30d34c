import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "#lib/chains.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { serveWeb } from "../../../harness/serve-web.ts";

/** The maximum size of an answer's head that nginx accepts by default (`proxy_buffer_size`). */
const NGINX_BYTES = 4096;

const price = {
  amount: "0.050 HBD",
  receivingAccount: "shop",
  facilitatorUrl: "http://127.0.0.1:9",
  chainId: MAINNET_CHAIN_ID,
  mimeType: "application/json",
};
const unused = () => Promise.reject(new Error("not asked"));
const decode = (text: unknown) => JSON.parse(Buffer.from(String(text), "base64").toString());

async function readHead(url: string, accept: string) {
  const sent = request(url, { headers: { accept } });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = answer.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 20);
  return { bytes, headers: answer.headers, body: Buffer.concat(chunks).toString() };
}

describe("the head of a 402 answer", () => {
  test.each([
    ["480 characters", "a".repeat(480)],
    ["240 characters of four bytes", "🐝".repeat(240)],
    ["120 characters", "a".repeat(120)],
  ])("fits nginx's buffer with a description of %s, which the body has in full", async (_, description) => {
    const GET = withPaywall({ ...price, description }, () => new Response("content"));
    const server = await serveWeb((asked) => GET(asked));
    const url = `${server.url}/articles/a-title-of-some-words-as-they-are`;
    const json = await readHead(url, "application/json");
    const page = await readHead(url, "text/html");
    await server.close();
    expect(json.bytes).toBeLessThan(NGINX_BYTES);
    expect(page.bytes).toBeLessThan(NGINX_BYTES);
    expect(JSON.parse(json.body).accepts[0].description).toBe(description);
    expect(page.body).toContain(description);
  });

  test.each([
    ["a path of 100 escaped characters", `/${"%C3%A9".repeat(100)}`],
    ["a path of 2,000 characters", `/${"a".repeat(2000)}`],
    ["a path of 2,000 characters and a long query", `/${"%E4%BD%A0".repeat(222)}?q=${"x".repeat(4000)}`],
  ])("fits nginx's buffer at an address with %s, and the body has the full path", async (_, target) => {
    // The longest offer by a sent transfer is to an account with a name of 16 characters.
    const { facilitatorUrl: _elsewhere, ...terms } = price;
    const facilitator = { verify: unused, settle: unused };
    const selling = { ...terms, facilitator, receivingAccount: "a-shop-of-16.abc" };
    const options = { ...selling, transfers: true, secret: "secret", store: createMemoryStore() };
    const GET = withPaywall({ ...options, description: "d".repeat(480) }, () => new Response("content"));
    const server = await serveWeb((asked) => GET(asked));
    const json = await readHead(server.url + target, "application/json");
    const page = await readHead(server.url + target, "text/html");
    await server.close();
    for (const { bytes, headers } of [json, page]) {
      expect(bytes).toBeLessThan(NGINX_BYTES);
      const [offer, version2] = [decode(headers["x-payment"]), decode(headers["payment-required"])];
      expect(offer.accepts[0]).toMatchObject({ payTo: "a-shop-of-16.abc", maxAmountRequired: "0.050 HBD" });
      expect(version2.accepts[1].extra.assetTransferMethod).toBe("memo");
      expect(offer.accepts[0].extra.nonce).toBe(version2.accepts[0].extra.nonce);
      expect(version2.resource.url).toBe(`${server.url}/`);
    }
    const [{ resource }] = JSON.parse(json.body).accepts;
    expect(resource).toBe(server.url + target.split("?")[0]);
  });

  test.each([
    ["of a few words", "/articles/a-title-of-some-words-as-they-are"],
    ["of 100 escaped characters", `/${"%C3%A9".repeat(100)}`],
  ])(
    "fits nginx's buffer with a sign-in at an address %s, and the body announces the sign-in",
    async (_, target) => {
      const access = { for: "30d" };
      const priced = { ...price, description: "d".repeat(480), access };
      const GET = withPaywall(priced, () => new Response("content"));
      const server = await serveWeb((asked) => GET(asked));
      const json = await readHead(server.url + target, "application/json");
      const page = await readHead(server.url + target, "text/html");
      await server.close();
      expect(json.bytes).toBeLessThan(NGINX_BYTES);
      expect(page.bytes).toBeLessThan(NGINX_BYTES);
      const { extensions } = JSON.parse(json.body);
      expect(extensions["sign-in-with-x"].info.uri).toBe(server.url + target);
      // The header has the same extensions, unless they are too long, and a short one for payment ids.
      const { "payment-identifier": _short, ...announced } = decode(
        json.headers["payment-required"],
      ).extensions;
      expect([{}, extensions]).toContainEqual(announced);
    },
  );

  test("holds the complete offer when it is short", async () => {
    const GET = withPaywall({ ...price, description: "A short text" }, () => new Response("content"));
    const server = await serveWeb((asked) => GET(asked));
    const { headers, body } = await readHead(`${server.url}/article`, "application/json");
    await server.close();
    expect(decode(headers["x-payment"])).toEqual(JSON.parse(body));
    expect(decode(headers["payment-required"]).resource).toMatchObject({
      url: `${server.url}/article`,
      description: "A short text",
    });
  });
});
