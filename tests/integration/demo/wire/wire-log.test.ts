import type { RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createWireLog,
  fetchRecorded,
  filterEntries,
  showFrame,
  wireLog,
} from "#app/(demo)/_wire/wire-log.ts";
import { serveNode } from "../../../harness/serve-web.ts";

const frame = (name: string, text = "{}") => ({ direction: "in" as const, name, seq: 1, text });

describe("the wire log", () => {
  it("stores the newest 500 entries, newest last", () => {
    const log = createWireLog();
    for (let index = 0; index < 620; index++) log.addFrame(frame(`event-${index}`));
    const kept = log.snapshot();
    expect(kept).toHaveLength(500);
    expect([kept[0], kept.at(-1)]).toMatchObject([{ name: "event-120" }, { name: "event-619" }]);
  });

  it("stores at most a million characters of frames", () => {
    const log = createWireLog();
    for (let index = 0; index < 30; index++) log.addFrame(frame(`event-${index}`, "x".repeat(100_000)));
    expect(log.snapshot().map((entry) => entry.kind === "frame" && entry.name)).toHaveLength(10);
    log.addFrame(frame("huge", "x".repeat(1_000_001)));
    expect(log.snapshot()).toEqual([]);
    log.addFrame(frame("after"));
    expect(log.snapshot()).toHaveLength(1);
  });

  it("returns the same list until something changes, and notifies listeners of changes", () => {
    const log = createWireLog(() => 7);
    let told = 0;
    const stop = log.subscribe(() => {
      told += 1;
    });
    log.addFrame(frame("hello"));
    expect(log.snapshot()).toBe(log.snapshot());
    const before = log.snapshot();
    log.clear();
    stop();
    log.addFrame(frame("hello"));
    expect([told, before.length, log.snapshot()[0]?.at]).toEqual([2, 1, 7]);
  });

  it("filters by kind and by text, case-insensitively", () => {
    const log = createWireLog();
    log.addFrame(frame("posted", JSON.stringify({ data: { post: JSON.stringify({ message: "Kaffee" }) } })));
    log.addStep({ kind: "http", method: "GET", url: "/api/chat/me", status: 200, ms: 1, headers: [] });
    const all = log.snapshot();
    expect(filterEntries(all, "all", "")).toHaveLength(2);
    expect(filterEntries(all, "http", "")).toEqual([all[1]]);
    expect(filterEntries(all, "frames", "")).toEqual([all[0]]);
    expect(filterEntries(all, "all", "kaffee")).toEqual([all[0]]);
    expect(filterEntries(all, "all", " API/CHAT ")).toEqual([all[1]]);
    expect(filterEntries(all, "frames", "me/none")).toEqual([]);
  });
});

describe("a displayed frame", () => {
  it("shows packed posts as objects", () => {
    expect(showFrame(JSON.stringify({ data: { post: '{"id":"p"}', text: "[no JSON" } }))).toBe(
      JSON.stringify({ data: { post: { id: "p" }, text: "[no JSON" } }, null, 2),
    );
  });

  it("hides secrets, even inside packed text", () => {
    const text = JSON.stringify({
      data: { token: "abc", user: JSON.stringify({ auth: { accessToken: "abc", password: "abc" } }) },
      cookie: "abc",
    });
    expect(showFrame(text)).not.toContain("abc");
    expect(showFrame(text)).toContain("accessToken");
  });

  it("is cut if it is huge, and shown unchanged if it is not JSON", () => {
    expect(showFrame(JSON.stringify("x".repeat(50_000))).length).toBeLessThanOrEqual(20_001);
    expect(showFrame("<html>")).toBe("<html>");
  });
});

describe("a recorded call", () => {
  /** Returns the recorded calls to an address. Other users of the page's log may still add calls. */
  const recordedOf = (url: string) =>
    wireLog.snapshot().filter((entry) => entry.kind === "http" && entry.step.url === url);

  /** Starts a server for the rest of the test, and returns its address. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = await serveNode(listener);
    onTestFinished(() => server.close());
    return server.url;
  }

  it("has method, address, status and public headers, but no cookie, token or body", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(201, { "x-request-id": "r1", "set-cookie": "chat_pat=hush", "x-token": "hush" });
      response.end('{"token":"hush"}');
    });
    await fetchRecorded(url, { method: "POST", body: "hush", headers: { authorization: "Bearer hush" } });
    const recorded = recordedOf(url);
    expect(recorded).toMatchObject([{ step: { method: "POST", status: 201 } }]);
    expect(JSON.stringify(recorded)).toContain("r1");
    expect(JSON.stringify(recorded)).not.toContain("hush");
  });

  it("is stored even without an answer, and its error still reaches the caller", async () => {
    const url = await serve((request) => request.destroy());
    await expect(fetchRecorded(url, {})).rejects.toThrow(TypeError);
    expect(recordedOf(url)).toMatchObject([{ step: { method: "GET", status: null, headers: [] } }]);
  });
});
