import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isOutsideMattermost, startContractMattermost } from "./contract-mattermost.ts";
import { requestBootstrap, startChat } from "./start-chat.ts";
import { startChatWorld } from "./start-chat-world.ts";
import { startGateway } from "./start-gateway.ts";
import { startTestMattermost, type TestMattermost } from "./start-mattermost.ts";

describe("the contract suite on a server that the environment names", () => {
  let server: TestMattermost;

  beforeEach(async () => {
    server = await startTestMattermost();
    vi.stubEnv("CHAT_BASE_URL", server.url);
    vi.stubEnv("CHAT_ADMIN_TOKEN", server.adminToken);
    vi.stubEnv("CHAT_TEAM_ID", server.teamId);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  const isActive = async (username: string) =>
    (await server.admin("GET", `/users/username/${username}`)).body.delete_at === 0;

  it("deactivates the users that it created", async () => {
    const world = await startChatWorld();
    const [newcomer, resident] = [await world.newcomer(), await world.login("alice")];
    const username = "made-by-the-admin";
    const made = { username, email: `${username}@example.com`, password: "Passw0rd!abcdef" };
    await world.admin("POST", "/users", made);
    await world.chain.setAccount({ name: "met-by-name" });
    expect((await resident.api("POST", "/direct", { username: "met-by-name" })).status).toBe(200);
    expect(await isActive("met-by-name")).toBe(true);
    await world.close();
    expect(await isActive("met-by-name")).toBe(false);
    expect(await isActive(newcomer.name)).toBe(false);
    expect(await isActive(username)).toBe(false);
    expect(await isActive(resident.name)).toBe(true);
  });

  it("deactivates the users behind the chain accounts that it created", async () => {
    const chat = await startChat();
    const gateway = await startGateway({ settings: chat.settings });
    const name = await chat.newAccount();
    expect((await requestBootstrap(gateway.url, name)).status).toBe(200);
    await gateway.close();
    await chat.close();
    expect(await isActive(name)).toBe(false);
  });

  it.each([
    "https://chat.example.com",
    "https://chat.example.com/api",
    "https://chat.example.com/api/v4/users",
  ])("rejects %s, because the address must end in /api/v4", async (address) => {
    vi.stubEnv("CHAT_BASE_URL", address);
    expect(isOutsideMattermost).toThrow("must end in /api/v4");
    await expect(startContractMattermost()).rejects.toThrow("must end in /api/v4");
  });

  it("accepts an address that ends in a slash", async () => {
    vi.stubEnv("CHAT_BASE_URL", `${server.url}/`);
    expect((await startContractMattermost()).baseUrl).toBe(server.url);
  });

  it.each(["CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID"])(
    "reports that %s is missing if the address is set",
    (name) => {
      vi.stubEnv(name, "");
      expect(isOutsideMattermost).toThrow(name);
    },
  );
});
