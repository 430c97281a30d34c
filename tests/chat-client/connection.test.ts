import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { type ChatClient, type ChatClientOptions, createChatClient } from "../../lib/chat-client/index.ts";

const ID = "c".repeat(26);

/** A websocket whose server end is played by the test. */
class ScriptedSocket {
  static opened: ScriptedSocket[] = [];
  readyState = 0;
  sent: Array<{ seq: number; action: string; data: Record<string, unknown> }> = [];
  closedWith: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((close: { code: number }) => void) | null = null;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    ScriptedSocket.opened.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close(code = 1000) {
    this.readyState = 3;
    this.closedWith = code;
  }
  accept(connectionId = ID, seq = 0) {
    this.readyState = 1;
    this.onopen?.();
    this.tell({ event: "hello", seq, data: { connection_id: connectionId }, broadcast: {} });
  }
  acceptWithoutHello() {
    this.readyState = 1;
    this.onopen?.();
  }
  tell(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  hangUp() {
    this.readyState = 3;
    this.onclose?.({ code: 1006 });
  }
}
const last = () => ScriptedSocket.opened.at(-1) as ScriptedSocket;
const queryOf = ({ url }: ScriptedSocket) => Object.fromEntries(new URL(url).searchParams);

describe("the chat client's connection", () => {
  let client: ChatClient;
  let gaps: number;
  let resumptions: number;
  let events: string[];
  let states: string[];
  let traced: string[];
  let answerMe: () => Promise<Response>;

  const start = async (options: Partial<ChatClientOptions> = {}) => {
    client = createChatClient({
      baseUrl: "https://chat.example.com",
      token: "t".repeat(26),
      WebSocket: ScriptedSocket,
      fetch: () => answerMe(),
      trace: {
        handshake: (status) => traced.push(`handshake ${status}`),
        frame: (direction, name, seq) => traced.push(`${direction} ${name} ${seq}`),
      },
      ...options,
    });
    client.on("gap", () => {
      gaps += 1;
    });
    client.on("resumed", () => {
      resumptions += 1;
    });
    client.on("state", (state) => states.push(state));
    client.on("frame", ({ event }) => events.push(event));
    client.connect();
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    ScriptedSocket.opened = [];
    [gaps, resumptions, events, states, traced] = [0, 0, [], [], []];
    answerMe = () => Promise.reject(new TypeError("no network"));
  });
  afterEach(() => {
    client.disconnect();
    vi.useRealTimers();
  });

  it("resumes after a loss, and asks for the next event by its number", async () => {
    await start();
    last().accept();
    last().tell({ event: "typing", seq: 1 });
    last().hangUp();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ScriptedSocket.opened).toHaveLength(2);
    expect(queryOf(last())).toEqual({ token: "t".repeat(26), connection_id: ID, sequence_number: "2" });
    last().accept(ID, 2);
    last().tell({ event: "posted", seq: 3 });
    expect(events).toEqual(["hello", "typing", "hello", "posted"]);
    expect(gaps).toBe(1);
    expect(states).toEqual(["connecting", "open", "waiting", "connecting", "open"]);
  });

  const lose = async () => {
    last().hangUp();
    await vi.advanceTimersByTimeAsync(1_000);
  };

  it("reports a resume once the server answers, even without a missed event", async () => {
    await start();
    last().accept();
    expect(resumptions).toBe(0);
    await lose();
    last().acceptWithoutHello();
    expect(last().sent).toEqual([{ seq: 1, action: "ping", data: {} }]);
    expect(resumptions).toBe(0);
    last().tell({ status: "OK", seq_reply: 1 });
    last().tell({ event: "typing", seq: 1 });
    expect([resumptions, gaps, events]).toEqual([1, 1, ["hello", "typing"]]);
  });

  it("reports a resume once per connection, before the first missed event", async () => {
    await start();
    last().accept();
    for (const seq of [1, 2]) {
      await lose();
      last().acceptWithoutHello();
      last().tell({ event: "typing", seq });
      last().tell({ status: "OK", seq_reply: seq });
    }
    expect([resumptions, gaps]).toEqual([2, 1]);
  });

  it("reports a resume if the server's hello has the expected number", async () => {
    await start();
    last().accept();
    await lose();
    last().accept(ID, 1);
    expect([resumptions, gaps]).toEqual([1, 1]);
  });

  it("emits only a gap if the server has lost the position", async () => {
    await start();
    last().accept();
    await lose();
    last().accept("d".repeat(26));
    expect([resumptions, gaps]).toEqual([0, 2]);
  });

  it("gives up a resumed connection that gets no answer", async () => {
    await start();
    last().accept();
    await lose();
    const resumed = last();
    resumed.acceptWithoutHello();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(resumed.closedWith).toBe(4000);
    expect(resumptions).toBe(0);
  });

  it("starts over with a gap if an event is missing", async () => {
    await start();
    last().accept();
    const first = last();
    first.tell({ event: "posted", seq: 2 });
    expect(first.closedWith).toBe(4001);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queryOf(last())).not.toHaveProperty("connection_id");
    last().accept("d".repeat(26));
    expect(gaps).toBe(2);
    expect(events).toEqual(["hello", "hello"]);
  });

  it("reconnects when the server falls silent", async () => {
    await start();
    last().accept();
    const first = last();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(first.sent).toEqual([{ seq: 1, action: "ping", data: {} }]);
    first.tell({ status: "OK", seq_reply: 1 });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(first.closedWith).toBeUndefined();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(first.closedWith).toBe(4000);
    expect(ScriptedSocket.opened).toHaveLength(2);
  });

  it("gives up an unanswered handshake, and tries again", async () => {
    await start();
    await vi.advanceTimersByTimeAsync(16_000);
    expect(ScriptedSocket.opened.length).toBeGreaterThan(1);
    expect(traced).toEqual(["handshake null"]);
  });

  it("waits and tries again if the platform refuses to open the address", async () => {
    const refusals = [new DOMException("not from a page with https", "SecurityError")];
    class Refusing extends ScriptedSocket {
      constructor(url: string) {
        for (const refusal of refusals.splice(0)) throw refusal;
        super(url);
      }
    }
    await start({ WebSocket: Refusing });
    expect(states).toEqual(["connecting", "waiting"]);
    await vi.advanceTimersByTimeAsync(1_000);
    last().accept();
    expect(states.at(-1)).toBe("open");
  });

  it("reopens on demand even though it seems open, and resumes", async () => {
    await start();
    last().accept();
    const first = last();
    client.connect();
    await vi.advanceTimersByTimeAsync(0);
    expect(ScriptedSocket.opened).toHaveLength(1);
    client.reconnect();
    await vi.advanceTimersByTimeAsync(0);
    expect(first.closedWith).toBe(1000);
    expect(queryOf(last())).toMatchObject({ connection_id: ID, sequence_number: "1" });
  });

  it("leaves a single socket open after simultaneous requests", async () => {
    await start();
    client.reconnect();
    client.reconnect();
    client.disconnect();
    client.connect();
    await vi.advanceTimersByTimeAsync(0);
    expect(ScriptedSocket.opened.filter(({ closedWith }) => closedWith === undefined)).toHaveLength(1);
  });

  it("does not resume after it was closed on purpose", async () => {
    await start();
    last().accept();
    client.disconnect();
    client.connect();
    await vi.advanceTimersByTimeAsync(0);
    expect(queryOf(last())).not.toHaveProperty("connection_id");
    last().accept("d".repeat(26));
    expect(gaps).toBe(2);
  });

  it("ends a pending sign-in when it is closed, unless a call is also waiting for it", async () => {
    const signals: AbortSignal[] = [];
    const login = ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    await start({ token: undefined, login });
    client.disconnect();
    client.connect();
    await vi.advanceTimersByTimeAsync(0);
    void client.me();
    client.disconnect();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(ScriptedSocket.opened).toEqual([]);
  });

  it("is closed by the signal it was opened with, not by an earlier one", async () => {
    await start();
    client.disconnect();
    const [earlier, later] = [new AbortController(), new AbortController()];
    client.connect({ signal: earlier.signal });
    client.disconnect();
    client.connect({ signal: later.signal });
    await vi.advanceTimersByTimeAsync(0);
    last().accept();
    earlier.abort();
    expect(last().closedWith).toBeUndefined();
    later.abort();
    expect(last().closedWith).toBe(1000);
    client.connect({ signal: later.signal });
    expect(states.at(-1)).toBe("closed");
  });

  it("notifies a listener until its signal aborts", async () => {
    await start();
    const controller = new AbortController();
    const heard: string[] = [];
    client.on("frame", ({ event }) => heard.push(event), { signal: controller.signal });
    client.on("frame", ({ event }) => heard.push(event), { signal: AbortSignal.abort() });
    last().accept();
    controller.abort();
    last().tell({ event: "typing", seq: 1 });
    expect(heard).toEqual(["hello"]);
    expect(events).toEqual(["hello", "typing"]);
  });

  it("backs off from a server that greets and disconnects", async () => {
    await start();
    for (let second = 0; second < 60; second++) {
      if (last().readyState === 0) {
        last().accept();
        last().hangUp();
      }
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(ScriptedSocket.opened.length).toBeLessThan(20);
  });

  it("reports the gateway's HTTP answer if it can't connect", async () => {
    const errors: unknown[] = [];
    answerMe = async () => new Response("<html>", { status: 502 });
    await start();
    client.on("error", (error) => errors.push(error));
    last().hangUp();
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toMatchObject([{ code: "backend_unreachable", status: 502 }]);
    expect(states.at(-1)).toBe("waiting");
  });
  it("reports that a proxy blocks upgrades if the gateway only answers over HTTP", async () => {
    const errors: Array<{ code?: string; cause?: unknown; message: string }> = [];
    answerMe = async () => Response.json({ user: {} });
    await start();
    client.on("error", (error) => errors.push(error as never));
    last().hangUp();
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toEqual([]);
    const cause = new Error("Unexpected server response: 404");
    (last() as { onerror: ((event: unknown) => void) | null }).onerror?.({ error: cause });
    last().hangUp();
    expect(errors).toMatchObject([{ code: "invalid_upgrade", cause }]);
    await vi.advanceTimersByTimeAsync(30_000);
    last().accept();
    expect(states.at(-1)).toBe("open");
  });
  it("retries at once after a refused handshake if the token proves valid", async () => {
    answerMe = async () => Response.json({ user: {} });
    await start();
    last().hangUp();
    await vi.advanceTimersByTimeAsync(0);
    expect(ScriptedSocket.opened).toHaveLength(2);
  });

  it("requests many people's presence in frames that the server accepts, and drops invalid entries", async () => {
    await start();
    last().accept();
    const ids = Array.from({ length: 600 }, (_none, number) => `${number}`.padStart(26, "u"));
    const asked = client.users.presence(ids);
    for (const { seq, action, data } of last().sent) {
      expect(action).toBe("get_statuses_by_ids");
      expect(JSON.stringify({ seq, action, data }).length).toBeLessThan(8_192);
      const told = (data.user_ids as string[]).map((userId, index) => [userId, index === 0 ? 1 : "away"]);
      last().tell({ status: "OK", seq_reply: seq, data: Object.fromEntries(told) });
    }
    expect(Object.values(await asked)).toEqual(Array(597).fill("away"));
  });

  it("rejects a request that is refused, aborted, unanswered or cut off", async () => {
    await start();
    last().accept();
    const settled = (asked: Promise<unknown>) => asked.catch((error: unknown) => error);
    const controller = new AbortController();
    const [refused, aborted, late] = [
      settled(client.users.presence([ID])),
      settled(client.users.presence([ID], { signal: controller.signal })),
      settled(client.users.presence([ID])),
    ];
    last().tell({ status: "FAIL", seq_reply: 1, error: { id: "no" } });
    controller.abort(new Error("enough"));
    expect(await refused).toMatchObject({ code: "unreadable" });
    expect(await aborted).toMatchObject({ message: "enough" });
    // The server answers only pings.
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await late).toMatchObject({ code: "offline" });
    const lost = settled(client.users.presence([ID]));
    last().hangUp();
    expect(await lost).toMatchObject({ code: "offline" });
  });

  it("shows each handshake and frame to an inspector, in both directions", async () => {
    await start();
    last().accept();
    client.sendTyping(ID);
    last().tell({ status: "OK", seq_reply: 1 });
    expect(traced).toEqual(["handshake 101", "in hello 0", "out user_typing 1", "in reply 1"]);
  });
});

test("the chat client throws an error that names WebSocket on a platform without it", () => {
  vi.stubGlobal("WebSocket", undefined);
  const without = createChatClient({ baseUrl: "https://chat.example.com", token: ID });
  expect(() => without.connect()).toThrow(/WebSocket/);
  vi.unstubAllGlobals();
});
