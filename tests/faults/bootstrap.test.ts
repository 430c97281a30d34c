import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formAccessToken } from "../harness/form-access-token.ts";
import { type Chat, requestBootstrap, startChat } from "../harness/start-chat.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/start-gateway-process.ts";
import type { Treatment } from "../harness/start-recording-proxy.ts";

/**
 * The calls of a new user's bootstrap with one community, by number: find, create, team, token, channel by
 * name, channel, member.
 */
const STEPS = [1, 2, 3, 4, 5, 6, 7];

describe("bootstrap", () => {
  let chat: Chat;
  let dataDir: string;
  let gateways: GatewayProcess[] = [];

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat.close());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "hivegate-faults-"));
  });
  afterEach(async () => {
    chat.proxy.treat(() => "pass");
    await Promise.all(gateways.splice(0).map((gateway) => gateway.kill().catch(() => undefined)));
    gateways = [];
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async () => {
    const gateway = await startGatewayProcess({ settings: { ...chat.settings, DATA_DIR: dataDir } });
    gateways.push(gateway);
    return gateway;
  };
  const newcomer = async () => {
    const name = await chat.newAccount();
    await chat.newCommunities(1, name);
    return name;
  };
  const isSettings = (path: string) => path.startsWith("/config");
  /** Applies this treatment to the n-th call of the bootstrap, and `rest` to the later ones. */
  const strike = (step: number, treatment: Treatment, rest: Treatment = "pass", onStrike = () => {}) => {
    let calls = 0;
    chat.proxy.treat(({ path }) => {
      if (isSettings(path) || ++calls < step) return "pass";
      if (calls > step) return rest;
      onStrike();
      return treatment;
    });
  };
  const expectWhole = async (name: string, body: { userId: string; token: string }) => {
    expect((await chat.ask("GET", "/users/me", undefined, body.token)).body).toMatchObject({
      id: body.userId,
      username: name,
    });
    expect((await chat.ask("GET", `/teams/${chat.teamId}/members/${body.userId}`)).status).toBe(200);
    const own = await chat.ask("GET", `/users/${body.userId}/teams/${chat.teamId}/channels`);
    const names = (own.body as unknown as Array<{ name: string }>).map((channel) => channel.name);
    expect(names.filter((channel) => channel.startsWith("hive-"))).toHaveLength(1);
  };

  it("returns 502 when Mattermost dies at any step, and completes the rest on the next try", async () => {
    const { url } = await start();
    for (const step of STEPS) {
      const name = await newcomer();
      strike(step, "cut", "cut");
      const failed = await requestBootstrap(url, name);
      expect([step, failed.status, failed.body.code]).toEqual([step, 502, "backend_unreachable"]);
      chat.proxy.treat(() => "pass");
      const { status, body } = await requestBootstrap(url, name);
      expect([step, status]).toEqual([step, 200]);
      await expectWhole(name, body);
    }
  });

  it("completes on the next try when the answer to any step is lost, and leaves at most one unused token", async () => {
    const { url } = await start();
    for (const step of STEPS) {
      const name = await newcomer();
      strike(step, "lose-answer");
      expect((await requestBootstrap(url, name)).status).toBe(502);
      chat.proxy.treat(() => "pass");
      const { status, body } = await requestBootstrap(url, name);
      expect([step, status]).toEqual([step, 200]);
      await expectWhole(name, body);
      // A token whose answer was lost exists, but no one has it.
      expect((await chat.tokensOf(body.userId)).length).toBe(step === 4 ? 2 : 1);
    }
  });

  it("completes on the next try after its process is killed at any step", async () => {
    for (const step of STEPS) {
      const name = await newcomer();
      const first = await start();
      strike(step, "hang", "pass", () => void first.kill());
      await expect(requestBootstrap(first.url, name)).rejects.toThrow();
      chat.proxy.treat(() => "pass");
      const second = await start();
      const { status, body } = await requestBootstrap(second.url, name);
      expect([step, status]).toEqual([step, 200]);
      await expectWhole(name, body);
      await second.kill();
    }
  }, 300_000);

  it("does the work once for two processes that share a store, with different delays", async () => {
    const [one, two] = [await start(), await start()];
    for (let turn = 0; turn < 5; turn++) {
      const name = await newcomer();
      chat.proxy.forget();
      chat.proxy.treat(() => ({ delayMs: turn * 3 }));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => requestBootstrap((index % 2 ? one : two).url, name)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
      const made = chat.calls().filter((call) => /^POST \/users(\/\w+\/tokens)?$/.test(call));
      expect(made).toHaveLength(2);
      expect(await chat.tokensOf(answers[0]?.body.userId ?? "")).toHaveLength(1);
    }
  });

  it("serves a user even if another process died holding that user's lock", async () => {
    const name = await newcomer();
    const [one, two] = [await start(), await start()];
    let isHeld: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    strike(2, "hang", "pass", isHeld);
    const lost = requestBootstrap(one.url, name).catch(() => null);
    await held;
    const waiting = requestBootstrap(two.url, name);
    await one.kill();
    expect(await lost).toBeNull();
    const { status, body } = await waiting;
    expect(status).toBe(200);
    await expectWhole(name, body);
  });

  it("continues for the other callers when the first one disconnects", async () => {
    const { url } = await start();
    const name = await newcomer();
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    chat.proxy.forget();
    strike(1, { delayMs: 300 }, { delayMs: 20 }, begin);
    const leaving = new AbortController();
    const left = fetch(`${url}/api/chat/bootstrap`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: name, accessToken: formAccessToken(name) }),
    }).catch((error: Error) => error.name);
    await begun;
    const staying = requestBootstrap(url, name);
    leaving.abort();
    expect(await left).toBe("AbortError");
    const { status, body } = await staying;
    expect(status).toBe(200);
    await expectWhole(name, body);
    expect(chat.calls().filter((call) => call === "POST /users")).toHaveLength(1);
  });
});
