import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soon } from "../harness/soon.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";

const slow = "s".repeat(26);
const quick = "q".repeat(26);
/** The sign-ins of one person who downloads slowly. */
const signIns = ["v".repeat(26), "w".repeat(26)];
const userOf = (pat: string) => ({
  ...{ id: signIns.includes(pat) ? "x".repeat(26) : pat, username: "someone", roles: "system_user" },
  ...{ first_name: "", last_name: "", nickname: "" },
});

let mattermost: Server;
let gateway: Gateway;
/** Downloads that Mattermost has begun and does not end. */
const begun: ServerResponse[] = [];
const whenLeft: AbortController[] = [];

beforeAll(async () => {
  mattermost = createServer((incoming, outgoing) => {
    const pat = incoming.headers.authorization?.slice("Bearer ".length) ?? "";
    if (incoming.url?.endsWith("/users/me"))
      return outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(userOf(pat)));
    outgoing.writeHead(200, { "content-type": "image/png" });
    if (pat === quick || !incoming.url?.includes("/files/")) return outgoing.end("a picture");
    outgoing.write("a");
    begun.push(outgoing);
  });
  await once(mattermost.listen(0, "127.0.0.1"), "listening");
  const { port } = mattermost.address() as AddressInfo;
  gateway = await startGateway({ settings: { CHAT_BASE_URL: `http://127.0.0.1:${port}/api/v4` } });
});
afterAll(async () => {
  for (const reader of whenLeft) reader.abort();
  await gateway.close();
  mattermost.close();
  mattermost.closeAllConnections();
});

function download(pat: string) {
  const reader = new AbortController();
  whenLeft.push(reader);
  const answer = fetch(`${gateway.url}/api/chat/files/${"f".repeat(26)}`, {
    headers: { authorization: `Bearer ${pat}` },
    signal: reader.signal,
  });
  answer.catch(() => undefined);
  return { answer, reader };
}

it("one person's slow downloads take four connections, and everybody else's files come", async () => {
  const theirs = Array.from({ length: 20 }, () => download(slow));
  await soon(() => expect(begun).toHaveLength(4));
  const other = await download(quick).answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  expect(begun).toHaveLength(4);

  // Whoever leaves makes room for the next, also before their turn came.
  for (const { reader } of theirs.slice(0, 19)) reader.abort();
  expect((await theirs[19]?.answer)?.status).toBe(200);

  theirs[19]?.reader.abort();
  const before = begun.length;
  for (let index = 0; index < 4; index++) download(slow);
  await soon(() => expect(begun).toHaveLength(before + 4));
  for (const reader of whenLeft) reader.abort();
});

it("slow downloads of one person with several sign-ins take four connections together", async () => {
  const before = begun.length;
  for (const pat of signIns) {
    const me = await fetch(`${gateway.url}/api/chat/me`, { headers: { authorization: `Bearer ${pat}` } });
    expect(me.status).toBe(200);
  }
  for (const pat of signIns) for (let index = 0; index < 4; index++) download(pat);
  await soon(() => expect(begun).toHaveLength(before + 4));
  expect(await (await download(quick).answer).text()).toBe("a picture");
  expect(begun).toHaveLength(before + 4);
  for (const reader of whenLeft) reader.abort();
});

it("four persons with sixteen slow downloads leave a connection to a fifth", async () => {
  const before = begun.length;
  for (const sign of "abcd") for (let index = 0; index < 4; index++) download(sign.repeat(26));
  // Of those that are left, nobody takes the last ones who has as many already.
  await soon(() => expect(begun.length).toBeGreaterThanOrEqual(before + 12));
  expect(await (await download(quick).answer).text()).toBe("a picture");
  expect(begun.length).toBeLessThan(before + 16);
});
