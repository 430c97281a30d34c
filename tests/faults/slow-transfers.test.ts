import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soon } from "../harness/soon.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";
import { pngOf } from "../harness/start-picture-server.ts";

const slow = "s".repeat(26);
/** Six members, each of whom reads every download at 16 KiB a second. */
const trickling = [..."ghijkl"].map((sign) => sign.repeat(26));
const TRICKLE = { bytes: 8192, everyMs: 500 };
const quick = "q".repeat(26);
/** The sign-ins of one person who downloads slowly. */
const signIns = ["v".repeat(26), "w".repeat(26)];
const userOf = (pat: string) => ({
  ...{ id: signIns.includes(pat) ? "x".repeat(26) : pat, username: "someone", roles: "system_user" },
  ...{ first_name: "", last_name: "", nickname: "" },
});

let mattermost: Server;
let gateway: Gateway;
/** Downloads that Mattermost has started and not finished. */
const begun: ServerResponse[] = [];
/** The PATs with which the gateway has requested `/users/me`. */
const known = new Set<string>();
const whenLeft: AbortController[] = [];

beforeAll(async () => {
  mattermost = createServer((incoming, outgoing) => {
    const pat = incoming.headers.authorization?.slice("Bearer ".length) ?? "";
    if (incoming.url?.endsWith("/users/me")) {
      known.add(pat);
      return outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(userOf(pat)));
    }
    if (incoming.method === "POST") {
      const file_infos = [{ id: "f".repeat(26), name: "valley.png", size: 1 }];
      incoming.resume();
      return outgoing
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ file_infos }));
    }
    outgoing.writeHead(200, { "content-type": "image/png" });
    if (pat === quick || !incoming.url?.includes("/files/")) return outgoing.end("a picture");
    outgoing.write("a");
    begun.push(outgoing);
    if (trickling.includes(pat)) trickle(outgoing);
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

/** Sends no faster than a slow reader would read. */
function trickle(outgoing: ServerResponse) {
  const timer = setInterval(() => outgoing.write(Buffer.alloc(TRICKLE.bytes)), TRICKLE.everyMs);
  outgoing.once("close", () => clearInterval(timer));
}

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

function beginUpload(pat: string, bytes: Uint8Array) {
  const url = `${gateway.url}/api/chat/channels/${"c".repeat(26)}/files?name=valley.png`;
  const headers = { authorization: `Bearer ${pat}`, "content-type": "image/png" };
  const sent = request(url, { method: "POST", headers, agent: false });
  sent.on("error", () => undefined);
  const answered = once(sent, "response").then(([answer]) => answer.resume().statusCode);
  answered.catch(() => undefined);
  sent.write(bytes);
  return { sent, answered };
}

it("one person's slow downloads take four connections and leave room for another person's", async () => {
  const earlier = begun.length;
  const theirs = Array.from({ length: 20 }, () => download(slow));
  await soon(() => expect(begun).toHaveLength(earlier + 4));
  const other = await download(quick).answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  expect(begun).toHaveLength(earlier + 4);

  // A reader who disconnects frees a place, even one who was still waiting.
  for (const { reader } of theirs.slice(0, 19)) reader.abort();
  expect((await theirs[19]?.answer)?.status).toBe(200);

  theirs[19]?.reader.abort();
  const before = begun.length;
  for (let index = 0; index < 4; index++) download(slow);
  await soon(() => expect(begun).toHaveLength(before + 4));
  for (const reader of whenLeft) reader.abort();
});

it("slow downloads of one person's two sign-ins take four connections together", async () => {
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

it("four people with sixteen slow downloads leave a connection for a fifth", async () => {
  const before = begun.length;
  for (const sign of "abcd") for (let index = 0; index < 4; index++) download(sign.repeat(26));
  // The last places are reserved for people with fewer downloads.
  await soon(() => expect(begun.length).toBeGreaterThanOrEqual(before + 12));
  expect(await (await download(quick).answer).text()).toBe("a picture");
  expect(begun.length).toBeLessThan(before + 16);
  for (const reader of whenLeft) reader.abort();
});

it("six people whose sixteen downloads are barely fast enough make way for a seventh", async () => {
  const open = () => begun.filter(({ closed }) => !closed);
  await soon(() => expect(open()).toEqual([]));
  for (const [index, places] of [4, 8, 12, 14, 15, 16].entries()) {
    for (let count = 0; count < 4; count++) download(trickling[index] ?? "");
    await soon(() => expect(open()).toHaveLength(places));
  }
  const other = await download(quick).answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  for (const reader of whenLeft) reader.abort();
}, 30_000);

it("twenty-four people whose uploads trickle in make way for another", async () => {
  const pats = Array.from({ length: 24 }, (_, index) => String(index).padStart(26, "u"));
  const uploads = pats.map((pat) => beginUpload(pat, pngOf("slow").subarray(0, 100)));
  await soon(() => expect([...known]).toEqual(expect.arrayContaining(pats)));
  const { sent, answered } = beginUpload(quick, pngOf("quick"));
  sent.end();
  expect(await answered).toBe(200);
  for (const { sent } of uploads) sent.destroy();
}, 30_000);
