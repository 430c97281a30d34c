import { describe, it, type TestContext } from "vitest";
import { requestBootstrap, startChat } from "../harness/start-chat.ts";
import { startGatewayProcess } from "../harness/start-gateway-process.ts";

const isSettings = (path: string) => path.startsWith("/config");

async function start({ onTestFinished }: TestContext) {
  const chat = await startChat();
  const gateway = await startGatewayProcess({ settings: chat.settings });
  onTestFinished(async () => {
    await gateway.kill();
    await chat.close();
  });
  return { chat, url: gateway.url };
}

async function newcomerOf(chat: Awaited<ReturnType<typeof startChat>>) {
  const name = await chat.newAccount();
  const [community = ""] = await chat.newCommunities(1, name);
  return { name, community };
}

// Each test waits for half a minute, so the tests run side by side.
describe.concurrent("bootstrap", () => {
  it("returns 504 when one Mattermost call takes over 10 s or all together take over 30 s", async (context) => {
    const { expect } = context;
    const { chat, url } = await start(context);
    const [slow, silent] = [(await newcomerOf(chat)).name, (await newcomerOf(chat)).name];
    chat.proxy.treat(({ path }) => {
      if (path.includes(silent)) return "hang";
      return isSettings(path) ? "pass" : { delayMs: 8000 };
    });
    const answers = await Promise.all([requestBootstrap(url, silent), requestBootstrap(url, slow)]);
    for (const { status, body } of answers) expect([status, body.code]).toEqual([504, "backend_timeout"]);
    chat.proxy.treat(() => "pass");
    expect((await requestBootstrap(url, slow)).status).toBe(200);
  });

  it("lets one caller wait for a channel beyond another caller's 30 s deadline", async (context) => {
    const { expect } = context;
    const { chat, url } = await start(context);
    const { name: first, community } = await newcomerOf(chat);
    const second = await chat.newAccount();
    await requestBootstrap(url, second);
    let isMaking: () => void = () => {};
    const making = new Promise<void>((resolve) => {
      isMaking = resolve;
    });
    chat.proxy.treat(({ method, path }) => {
      if (isSettings(path)) return "pass";
      if (method === "POST" && path === "/channels") isMaking();
      // The creation begins after 28 s, and outlasts the first caller's deadline.
      return path.includes(`/channels/name/${community}`) ? { delayMs: 2000 } : { delayMs: 6500 };
    });
    const cut = requestBootstrap(url, first);
    await making;
    chat.proxy.treat(() => "pass");
    const { status, body } = await requestBootstrap(url, second, { community });
    expect([status, await chat.isMember(body.channelId, body.userId)]).toEqual([200, true]);
    expect((await cut).status).toBe(504);
  });
});
