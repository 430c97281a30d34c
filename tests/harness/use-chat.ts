import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Chat, startChat } from "./start-chat.ts";
import { type GatewayOptions, type LocalGateway, startGateway } from "./start-gateway.ts";

/** Provides one chat for the tests of a `describe`, with a new gateway and an empty store for each test. */
export function useChat() {
  let chat: Chat;
  let gateway: LocalGateway;
  const start = ({ settings, ...rest }: GatewayOptions = {}) =>
    startGateway({ ...rest, settings: { ...chat.settings, ...settings } });

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat.close());
  beforeEach(async () => {
    gateway = await start();
    chat.proxy.forget();
  });
  afterEach(async () => {
    chat.proxy.treat(() => "pass");
    await chat.chain.clearFaults();
    await gateway.close();
  });

  return {
    get chat() {
      return chat;
    },
    get gateway() {
      return gateway;
    },
    /** Replaces the gateway with another one that has an empty store. */
    async restart(options?: GatewayOptions) {
      await gateway.close();
      gateway = await start(options);
    },
  };
}
