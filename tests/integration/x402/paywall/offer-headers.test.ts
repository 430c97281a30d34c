import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "#lib/chains.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { serveWeb } from "../../../harness/serve-web.ts";

/** What nginx takes of an answer's head by default (`proxy_buffer_size`). */
const NGINX_BYTES = 4096;

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
    ["480 characters of four bytes", "🐝".repeat(240)],
    ["120 characters", "a".repeat(120)],
  ])("fits nginx's buffer with a description of %s, which the body has whole", async (_, description) => {
    const GET = withPaywall(
      {
        amount: "0.050 HBD",
        receivingAccount: "shop",
        facilitatorUrl: "http://127.0.0.1:9",
        chainId: MAINNET_CHAIN_ID,
        mimeType: "application/json",
        description,
      },
      () => new Response("content"),
    );
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
});
