import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soon } from "../harness/soon.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";
import { pngOf } from "../harness/start-picture-server.ts";

const TRICKLE = { bytes: 8192, everyMs: 500 };
const quick = "q".repeat(26);

let people = 0;
/** Returns the PAT of a person whom no earlier test, and no earlier try of the same one, knows. */
const newPerson = () => String(++people).padStart(26, "p");
const newPeople = (count: number) => Array.from({ length: count }, newPerson);
/** Members who read every download at 16 KiB a second. */
const trickling = new Set<string>();
/** The users of PATs that share one. Every other PAT has a user of its own. */
const users = new Map<string, string>();
const userOf = (pat: string) => ({
  ...{ id: users.get(pat) ?? pat, username: "someone", roles: "system_user" },
  ...{ first_name: "", last_name: "", nickname: "" },
});

let mattermost: Server;
let gateway: Gateway;
/** Downloads that Mattermost has started and not finished, with the PATs that requested them. */
const begun: Array<{ pat: string; outgoing: ServerResponse }> = [];
const begunBy = (...pats: string[]) => begun.filter(({ pat }) => pats.includes(pat));
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
    begun.push({ pat, outgoing });
    if (trickling.has(pat)) trickle(outgoing);
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
  const slow = newPerson();
  const theirs = Array.from({ length: 20 }, () => download(slow));
  await soon(() => expect(begunBy(slow)).toHaveLength(4));
  const other = await download(quick).answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  expect(begunBy(slow)).toHaveLength(4);

  // A reader who disconnects frees a place, even one who was still waiting.
  for (const { reader } of theirs.slice(0, 19)) reader.abort();
  expect((await theirs[19]?.answer)?.status).toBe(200);

  theirs[19]?.reader.abort();
  const before = begunBy(slow).length;
  for (let index = 0; index < 4; index++) download(slow);
  await soon(() => expect(begunBy(slow)).toHaveLength(before + 4));
  for (const reader of whenLeft) reader.abort();
});

it("slow downloads of one person's two sign-ins take four connections together", async () => {
  const signIns = newPeople(2);
  for (const pat of signIns) {
    users.set(pat, signIns[0] ?? "");
    const me = await fetch(`${gateway.url}/api/chat/me`, { headers: { authorization: `Bearer ${pat}` } });
    expect(me.status).toBe(200);
  }
  for (const pat of signIns) for (let index = 0; index < 4; index++) download(pat);
  await soon(() => expect(begunBy(...signIns)).toHaveLength(4));
  expect(await (await download(quick).answer).text()).toBe("a picture");
  expect(begunBy(...signIns)).toHaveLength(4);
  for (const reader of whenLeft) reader.abort();
});

it("four people with sixteen slow downloads leave a connection for a fifth", async () => {
  const four = newPeople(4);
  for (const pat of four) for (let index = 0; index < 4; index++) download(pat);
  // The last places are reserved for people with fewer downloads.
  await soon(() => expect(begunBy(...four).length).toBeGreaterThanOrEqual(12));
  expect(await (await download(quick).answer).text()).toBe("a picture");
  expect(begunBy(...four).length).toBeLessThan(16);
  for (const reader of whenLeft) reader.abort();
});

it("six people whose sixteen downloads are barely fast enough make way for a seventh", async () => {
  const open = () => begun.filter(({ outgoing }) => !outgoing.closed);
  await soon(() => expect(open()).toEqual([]));
  const six = newPeople(6);
  for (const [index, pat] of six.entries()) {
    trickling.add(pat);
    for (let count = 0; count < 4; count++) download(pat);
    await soon(() => expect(open()).toHaveLength([4, 8, 12, 14, 15, 16][index] ?? 0));
  }
  const other = await download(quick).answer;
  expect([other.status, await other.text()]).toEqual([200, "a picture"]);
  for (const reader of whenLeft) reader.abort();
}, 30_000);

it("twenty-four people whose uploads trickle in make way for another", async () => {
  const pats = newPeople(24);
  const uploads = pats.map((pat) => beginUpload(pat, pngOf("slow").subarray(0, 100)));
  await soon(() => expect([...known]).toEqual(expect.arrayContaining(pats)));
  const { sent, answered } = beginUpload(quick, pngOf("quick"));
  sent.end();
  expect(await answered).toBe(200);
  for (const { sent } of uploads) sent.destroy();
}, 30_000);
