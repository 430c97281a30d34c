import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket as NodeWebSocket } from "ws";
import {
  HiveAuthError,
  type HiveAuthOptions,
  type HiveAuthQuestion,
  signByHiveAuth,
} from "../../../lib/wallet-links/index.ts";
import { postingKey, signText } from "../../harness/form-access-token.ts";
import {
  answerByHiveAuth,
  encrypt,
  type HiveAuthRelay,
  startHiveAuthRelay,
} from "../../harness/start-hiveauth-relay.ts";

const message = '{"signed_message":{"purpose":"Sign in as alice — ñandú"}}';
const signature = signText(message, postingKey("alice"));

describe("signing by a wallet of HiveAuth", () => {
  let relay: HiveAuthRelay;
  let leaving: AbortController;

  beforeEach(async () => {
    relay = await startHiveAuthRelay();
    leaving = new AbortController();
  });
  afterEach(async () => {
    leaving.abort(new Error("the test has ended"));
    await relay.close();
  });

  /** Asks, and resolves once the relay has the question. `questions` receives later ones too. */
  const ask = async (options: Partial<HiveAuthOptions> = {}) => {
    const questions: HiveAuthQuestion[] = [];
    let onFirst: (question: HiveAuthQuestion) => void = () => {};
    const first = new Promise<HiveAuthQuestion>((resolve) => {
      onFirst = resolve;
    });
    const signed = signByHiveAuth({
      ...{ relay: relay.url, account: "alice", app: "chat.example.com", message },
      WebSocket: NodeWebSocket as unknown as typeof WebSocket,
      signal: leaving.signal,
      ...options,
      onQuestion(question) {
        questions.push(question);
        onFirst(question);
      },
    });
    signed.catch(() => undefined);
    return { signed, questions, question: await first };
  };

  it("returns the signature of a wallet that has scanned the link", async () => {
    const { signed, question } = await ask();
    expect(await answerByHiveAuth(question.link)).toEqual({ app: "chat.example.com", text: message });
    expect(await signed).toBe(signature);
  });

  it("shows the relay neither the key nor the text nor the signature", async () => {
    const { signed, question } = await ask();
    await answerByHiveAuth(question.link);
    await signed;
    const all = relay.seen.join("\n");
    expect(all).toContain("alice");
    const secrets = [question.key, "signed_message", "purpose", "chat.example.com", signature];
    const forms = secrets.flatMap((text) => [text, Buffer.from(text).toString("base64").replace(/=+$/, "")]);
    for (const form of forms) expect(all).not.toContain(form);
  });

  it("uses another key for each question", async () => {
    const [one, other] = [await ask(), await ask()];
    expect(one.question.key).not.toBe(other.question.key);
  });

  it("rejects with declined once the owner has declined", async () => {
    const { signed, question } = await ask();
    await answerByHiveAuth(question.link, { approves: false });
    await expect(signed).rejects.toMatchObject({ code: "declined" });
  });

  it("is resumed after a lost connection, with an answer that was given meanwhile", async () => {
    const { signed, question } = await ask();
    relay.cutApps();
    await answerByHiveAuth(question.link);
    expect(await signed).toBe(signature);
  });

  it("is taken up again by a page that was loaded again", async () => {
    const first = new AbortController();
    const { signed, question } = await ask({ signal: first.signal });
    first.abort(new Error("left"));
    await expect(signed).rejects.toThrow("left");
    await answerByHiveAuth(question.link);
    const again = await ask({ earlier: question });
    expect(again.question).toEqual(question);
    expect(await again.signed).toBe(signature);
  });

  it("asks again if the relay has dropped the question", async () => {
    const { signed, question, questions } = await ask();
    relay.forget();
    relay.cutApps();
    await expect.poll(() => questions.length, { timeout: 60_000 }).toBe(2);
    const [, second] = questions;
    expect(second?.uuid).not.toBe(question.uuid);
    await answerByHiveAuth(second?.link ?? "");
    expect(await signed).toBe(signature);
  });

  it("asks again once the relay no longer keeps the question", async () => {
    await relay.close();
    relay = await startHiveAuthRelay({ timeoutSeconds: 0.2 });
    const { questions } = await ask();
    await expect.poll(() => questions.length, { timeout: 60_000 }).toBeGreaterThan(1);
  });

  it("rejects with expired if no wallet answers in time", async () => {
    const options = { relay: relay.url, account: "alice", app: "a", message, withinMs: 500 };
    const WebSocket = NodeWebSocket as unknown as typeof globalThis.WebSocket;
    const signed = signByHiveAuth({ ...options, WebSocket, onQuestion: () => {} });
    await expect(signed).rejects.toMatchObject({ code: "expired" });
  });

  it("rejects with relay_unavailable if no relay answers, or if it refuses", async () => {
    const options = {
      ...{ relay: "ws://127.0.0.1:9", account: "alice", app: "a", message, onQuestion: () => {} },
      WebSocket: NodeWebSocket as unknown as typeof WebSocket,
    };
    await expect(signByHiveAuth(options)).rejects.toBeInstanceOf(HiveAuthError);
    relay.treat(() => ({ cmd: "error", error: "too many connections" }));
    await expect(signByHiveAuth({ ...options, relay: relay.url })).rejects.toMatchObject({
      code: "relay_unavailable",
    });
  });

  it("rejects with the signal's reason while the connection neither opens nor closes", async () => {
    class SilentWebSocket extends EventTarget {
      readyState = 0;
      constructor() {
        super();
        queueMicrotask(() => leaving.abort(new Error("left")));
      }
      send() {}
      close() {}
    }
    const signed = signByHiveAuth({
      ...{ relay: relay.url, account: "alice", app: "a", message, onQuestion: () => {} },
      WebSocket: SilentWebSocket as unknown as typeof WebSocket,
      signal: leaving.signal,
    });
    await expect(signed).rejects.toThrow("left");
  });

  describe("at a relay that lies", () => {
    it("keeps a question that can be answered if the relay says it drops it at once", async () => {
      await relay.close();
      relay = await startHiveAuthRelay({ timeoutSeconds: 0.001 });
      const { signed, questions } = await ask({ withinMs: 4000 });
      await expect(signed).rejects.toMatchObject({ code: "expired" });
      expect(questions).toHaveLength(1);
    });

    it("asks ten questions at most if the relay drops each", async () => {
      relay.treat((frame) => {
        if (frame.cmd === "auth_wait") relay.answerApps({ cmd: "attach_nack", uuid: frame.uuid ?? "" });
        return frame;
      });
      const { signed, questions } = await ask();
      await expect(signed).rejects.toMatchObject({ code: "relay_unavailable" });
      expect(questions).toHaveLength(10);
      expect(relay.seen).toHaveLength(10);
    });

    it("waits before it repeats a question that the relay drops", async () => {
      relay.treat((frame) => {
        if (frame.cmd === "auth_wait") relay.answerApps({ cmd: "attach_nack", uuid: frame.uuid ?? "" });
        return frame;
      });
      const { signed, questions } = await ask({ withinMs: 5000 });
      await expect(signed).rejects.toMatchObject({ code: "expired" });
      expect(questions.length).toBeLessThanOrEqual(6);
    });

    /** Replaces the wallet's answer once, and has the wallet answer again. */
    const spoil = async (change: (answer: { data?: string; uuid?: string }) => object) => {
      const { signed, question } = await ask();
      let lies = 0;
      relay.treat((frame) => {
        if (frame.cmd !== "auth_ack" || lies > 0) return frame;
        lies += 1;
        return { ...frame, ...change(frame) };
      });
      await answerByHiveAuth(question.link);
      await expect.poll(() => lies).toBe(1);
      await answerByHiveAuth(question.link);
      expect(await signed).toBe(signature);
    };
    const forged = JSON.stringify({ challenge: { challenge: "1f".repeat(65) } });

    it.each<[string, (answer: { data?: string; uuid?: string }) => object]>([
      ["answers with a key of its own", () => ({ data: encrypt(forged, "guess") })],
      ["answers without encryption", () => ({ data: forged })],
      ["garbles the answer", ({ data = "" }) => ({ data: data.slice(0, -8) })],
      ["answers another question", () => ({ uuid: "u-1" })],
      ["leaves fields out", () => ({ data: 7, uuid: null })],
      ["sends too much", () => ({ data: "x".repeat(20_000) })],
    ])("ignores it if it %s, and waits for the wallet", (_, change) => spoil(change));

    it("ignores frames that are no objects", async () => {
      const { signed, question } = await ask();
      relay.treat((frame) => (frame.cmd === "attach_ack" ? (["x"] as never) : frame));
      relay.cutApps();
      await answerByHiveAuth(question.link);
      expect(await signed).toBe(signature);
    });
  });
});
