import type { LookupAddress } from "node:dns";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutside, type Outside, OutsideFault } from "../../../lib/outside/fetch-outside.ts";
import { type PictureServer, pngOf, startPictureServer } from "../../harness/start-picture-server.ts";

const opened: Outside[] = [];
let own: PictureServer;

beforeAll(async () => {
  own = await startPictureServer();
  own.serveBytes("/picture.png", pngOf("picture"), { etag: '"one"' });
});
afterAll(async () => {
  await Promise.all(opened.map((outside) => outside.close()));
  await own.close();
});

/** Opens a fetcher that resolves names to these addresses. */
function open(answers: Record<string, string[]> = {}, privateHosts: string[] = [], timeoutMs = 3000) {
  const looked: string[] = [];
  const outside = createOutside({
    privateHosts,
    timeoutMs,
    resolve(name, _options, callback) {
      looked.push(name);
      const found = (answers[name] ?? []).map(
        (address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }),
      );
      if (found.length > 0) callback(null, found);
      else callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    },
  });
  opened.push(outside);
  return { outside, looked };
}

const asked = { accept: "image/png", limitBytes: 100_000 };

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const fault = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(OutsideFault);
  return (fault as OutsideFault).reason;
}

describe("fetching from other servers", () => {
  it("connects to no private address behind a public name", async () => {
    const names = {
      "rebound.example.com": ["127.0.0.1"],
      "mapped.example.com": ["::ffff:127.0.0.1"],
      "metadata.example.com": ["169.254.169.254"],
      "inner.example.com": ["10.0.0.1", "fd00::1"],
    };
    const { outside, looked } = open(names);
    const before = own.count();
    for (const name of Object.keys(names))
      expect(await reasonOf(outside.fetch(`http://${name}/picture.png`, asked))).toBe("private");
    expect(looked).toEqual(Object.keys(names));
    expect(own.count()).toBe(before);
  });

  it("looks a name up once per connection, so that its address can't change after the check", async () => {
    const answers: Record<string, string[]> = { "turning.example.com": ["192.0.2.1", "127.0.0.1"] };
    const { outside, looked } = open(answers);
    expect(await reasonOf(outside.fetch("http://turning.example.com/", asked))).toBe("private");
    expect(looked).toHaveLength(1);
  });

  it("follows redirects and checks each target", async () => {
    const exempt = ["127.0.0.1"];
    own.serve("/once", (_, outgoing) => outgoing.writeHead(302, { location: "/picture.png" }).end());
    const { outside } = open({}, exempt);
    const answer = await outside.fetch(`${own.url}/once`, asked);
    expect(answer.url.href).toBe(`${own.url}/picture.png`);
    expect(answer.bytes.equals(pngOf("picture"))).toBe(true);

    const leads: Record<string, string> = {
      "http://localhost/": "address",
      "http://[::1]/": "address",
      "http://169.254.169.254/latest/meta-data/": "address",
      "file:///etc/passwd": "address",
      "http://rebound.example.com/": "private",
    };
    const { outside: careful } = open({ "rebound.example.com": ["127.0.0.1"] }, exempt);
    for (const [location, reason] of Object.entries(leads)) {
      own.serve("/away", (_, outgoing) => outgoing.writeHead(301, { location }).end());
      expect([location, await reasonOf(careful.fetch(`${own.url}/away`, asked))]).toEqual([location, reason]);
    }
  });

  it("gives up on a redirect loop", async () => {
    own.serve("/round", (_, outgoing) => outgoing.writeHead(307, { location: "/round" }).end());
    const { outside } = open({}, ["127.0.0.1"]);
    const before = own.askedFor("/round").length;
    expect(await reasonOf(outside.fetch(`${own.url}/round`, asked))).toBe("redirects");
    expect(own.askedFor("/round").length - before).toBeLessThanOrEqual(5);
  });

  it("fails at the size limit, declared or not, unless the beginning is enough", async () => {
    own.serve("/told", (_, outgoing) => outgoing.writeHead(200, { "content-length": "200000" }).write("x"));
    own.serve("/endless", (_, outgoing) => {
      const more = () => {
        while (outgoing.write("x".repeat(10_000)));
      };
      outgoing.on("drain", more);
      more();
    });
    const { outside } = open({}, ["127.0.0.1"]);
    for (const path of ["/told", "/endless"])
      expect([path, await reasonOf(outside.fetch(own.url + path, asked))]).toEqual([path, "too_large"]);
    const { bytes } = await outside.fetch(`${own.url}/endless`, { ...asked, takesBeginning: true });
    expect(bytes.byteLength).toBe(asked.limitBytes);
  });

  it("has one deadline for the whole answer, even if it drips in", async () => {
    const timers: NodeJS.Timeout[] = [];
    own.serve("/drip", (_, outgoing) => {
      timers.push(setInterval(() => outgoing.write("x"), 50));
    });
    own.serve("/silent", () => undefined);
    const { outside } = open({}, ["127.0.0.1"], 300);
    for (const path of ["/drip", "/silent"])
      expect([path, await reasonOf(outside.fetch(own.url + path, asked))]).toEqual([path, "late"]);
    for (const timer of timers) clearInterval(timer);
  });

  it("accepts only uncompressed successful answers, and sends no cookie or referrer", async () => {
    own.serveBytes("/packed", "x", { "content-encoding": "gzip" });
    const { outside } = open({}, ["127.0.0.1"]);
    expect(await reasonOf(outside.fetch(`${own.url}/packed`, asked))).toBe("encoded");
    expect(await reasonOf(outside.fetch(`${own.url}/nothing`, asked))).toBe("status");
    await outside.fetch(`${own.url}/picture.png`, asked);
    const headers = own.askedFor("/picture.png").at(-1)?.headers ?? {};
    expect(Object.keys(headers).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });
});
