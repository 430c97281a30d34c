import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isAskedEarly, SENT_ANSWER, takeEarlyAnswer } from "#app/(demo)/_session/early-answers.ts";
import { requestEarly } from "#app/(demo)/chat/_opening/request-early.ts";

const PATH = "/api/chat/channels?per_page=40";
const take = (path: string) => takeEarlyAnswer(`https://chat.example${path}`, { method: "GET" });

/** A document that is still loading, and then contains the text that the server sent, if any. */
function loadingDocument(sent: string | null) {
  const target = new EventTarget();
  const page = {
    readyState: "loading",
    getElementById: (id: string) =>
      page.readyState !== "loading" && id === SENT_ANSWER && sent !== null ? { textContent: sent } : null,
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  return {
    finish() {
      page.readyState = "interactive";
      target.dispatchEvent(new Event("DOMContentLoaded"));
    },
  };
}

describe("requestEarly", () => {
  beforeEach(() => {
    vi.stubGlobal("fetch", async (path: string) => Response.json({ path }));
  });
  afterEach(() => vi.unstubAllGlobals());

  it("requests each path once, for one later reader", async () => {
    requestEarly({ paths: [PATH], sent: null });
    expect(isAskedEarly(PATH)).toBe(true);
    expect(await (await take(PATH))?.json()).toEqual({ path: PATH });
    expect(await take(PATH)).toBeNull();
  });

  it("leaves a failed request to the chat", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
    requestEarly({ paths: [PATH], sent: null });
    expect(await take(PATH)).toBeNull();
  });

  it("reads the answer that the server sent once the page is complete", async () => {
    const page = loadingDocument('{"posts":[]}');
    requestEarly({ paths: [], sent: PATH });
    const answer = take(PATH);
    page.finish();
    expect(await (await answer)?.json()).toEqual({ posts: [] });
  });

  it("reads the sent answer at once if the page is already complete", async () => {
    loadingDocument('{"posts":[]}').finish();
    requestEarly({ paths: [], sent: PATH });
    expect(await (await take(PATH))?.json()).toEqual({ posts: [] });
  });

  it("resolves with nothing if the server sent no answer", async () => {
    const page = loadingDocument(null);
    requestEarly({ paths: [], sent: PATH });
    const answer = take(PATH);
    page.finish();
    expect(await answer).toBeNull();
  });
});
