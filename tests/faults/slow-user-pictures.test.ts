import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soon } from "../harness/soon.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";

const slow = "s".repeat(26);
const quick = "q".repeat(26);

let mattermost: Server;
let gateway: Gateway;
/** Pictures that Mattermost has started and not finished. */
const begun: ServerResponse[] = [];
const whenLeft: AbortController[] = [];

beforeAll(async () => {
  mattermost = createServer((incoming, outgoing) => {
    outgoing.writeHead(200, { "content-type": "image/png" });
    if (!incoming.url?.includes(slow)) return outgoing.end("a picture");
    outgoing.write("a");
    begun.push(outgoing);
  });
  await once(mattermost.listen(0, "127.0.0.1"), "listening");
  const { port } = mattermost.address() as AddressInfo;
  gateway = await startGateway({
    settings: { CHAT_BASE_URL: `http://127.0.0.1:${port}/api/v4`, TRUST_PROXY: "1" },
  });
});
afterAll(async () => {
  for (const reader of whenLeft) reader.abort();
  await gateway.close();
  mattermost.close();
  mattermost.closeAllConnections();
});

function ask(userId: string, address: string) {
  const reader = new AbortController();
  whenLeft.push(reader);
  const answer = fetch(`${gateway.url}/api/chat/users/${userId}/image`, {
    headers: { "x-forwarded-for": address },
    signal: reader.signal,
  });
  answer.catch(() => undefined);
  return { answer, reader };
}

it("slow profile images of one address take half of the connections and leave room for others", async () => {
  const theirs = Array.from({ length: 20 }, () => ask(slow, "192.0.2.1"));
  await soon(() => expect(begun).toHaveLength(8));
  const other = await ask(quick, "192.0.2.2").answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  expect(begun).toHaveLength(8);

  // A reader who disconnects frees a place, even one who was still waiting.
  for (const { reader } of theirs) reader.abort();
  const next = await ask(quick, "192.0.2.1").answer;
  expect(await next.text()).toBe("a picture");
  expect(begun).toHaveLength(8);
});
