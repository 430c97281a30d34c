import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runDoctor } from "../../harness/run-doctor.ts";
import { type Chat, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const PASSWORD = "Chosen-by-hand-1";

describe("npm run doctor -- --identities, --adopt", () => {
  let chat: Chat;
  let gateway: Gateway;
  let settings: Record<string, string>;

  beforeAll(async () => {
    chat = await startChat();
    const dataDir = await mkdtemp(join(tmpdir(), "doctor-identities-"));
    settings = { ...chat.settings, SESSION_SECRET: "s".repeat(32), DATA_DIR: dataDir };
    gateway = await startGateway({ settings });
  });
  afterAll(async () => {
    await gateway.close();
    await rm(settings.DATA_DIR ?? "", { recursive: true, force: true });
    await chat.close();
  });

  const bootstrap = (name: string) => requestBootstrap(gateway.url, name);
  const signUp = async (username: string) => {
    const email = `${username}@mail.example`;
    const { body } = await chat.ask("POST", "/users", { username, email, password: PASSWORD });
    const login = await chat.ask("POST", "/users/login", { login_id: username, password: PASSWORD });
    return { id: String(body.id), session: login.headers.get("token") ?? "" };
  };
  const worksFor = async (token: string) =>
    (await chat.ask("GET", "/users/me", undefined, token)).status === 200;

  test("lists renamed users and unproven holders of an account's name, with advice", async () => {
    const [own, renamed, squatted] = [
      await chat.newAccount(),
      await chat.newAccount(),
      await chat.newAccount(),
    ];
    await bootstrap(own);
    const { userId } = (await bootstrap(renamed)).body;
    await chat.ask("PUT", `/users/${userId}/patch`, { username: `${renamed}-else` });
    const { id } = await signUp(squatted);
    const { code, output } = await runDoctor(settings, "--identities");
    expect(code, output).toBe(1);
    expect(output).toMatch(/ok {4}identities: \d+ accounts? ha/);
    expect(output).toMatch(
      new RegExp(`FAULT ${renamed}: .*${userId} is called ${renamed}-else\\n.*--adopt ${renamed}`),
    );
    expect(output).toMatch(new RegExp(`FAULT ${squatted}: .*${id}.*\\n.*--adopt ${squatted}`));
    expect(output).not.toContain(`${own}:`);
    expect(output).not.toContain(settings.CHAT_ADMIN_TOKEN);
  });

  test("adopting binds the account to the user with its name, whose old password, session and token end", async () => {
    const name = await chat.newAccount();
    const { id, session } = await signUp(name);
    const { body: foreign } = await chat.ask("POST", `/users/${id}/tokens`, { description: "hers" });
    expect((await bootstrap(name)).status).toBe(409);
    const { code, output } = await runDoctor(settings, "--adopt", name);
    expect(code, output).toBe(0);
    expect(output).toMatch(new RegExp(`ok {4}${name}: has the chat user ${id} now`));
    const { status, body } = await bootstrap(name);
    expect([status, body.userId]).toEqual([200, id]);
    expect([
      await worksFor(session),
      await worksFor(String(foreign.token)),
      await worksFor(body.token),
    ]).toEqual([false, false, true]);
    const login = { login_id: name, password: PASSWORD };
    expect((await chat.ask("POST", "/users/login", login)).status).toBe(401);
    expect((await chat.ask("GET", `/users/${id}`)).body.email).not.toContain("mail.example");
  });

  test("adopting restores a renamed user's name, and refuses to give one account's user to another", async () => {
    const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
    const { userId, token } = (await bootstrap(mallory)).body;
    await chat.ask("PUT", "/users/me/patch", { username: shop }, token);
    const refused = await runDoctor(settings, "--adopt", shop);
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(new RegExp(`FAULT ${shop}: .*is ${mallory}'s\\n.*--adopt ${mallory}`)),
    ]);
    expect((await runDoctor(settings, "--adopt", mallory)).code).toBe(0);
    expect((await chat.ask("GET", `/users/${userId}`)).body.username).toBe(mallory);
    expect(await worksFor(token)).toBe(true);
    expect((await bootstrap(shop)).status).toBe(200);
  });

  test("adopting refuses reserved names, unused names and Mattermost's administrators", async () => {
    const [free, boss] = [await chat.newAccount(), await chat.newAccount()];
    const { id } = await signUp(boss);
    await chat.ask("PUT", `/users/${id}/roles`, { roles: "system_user system_admin" });
    const { code, output } = await runDoctor(settings, "--adopt", "all", "--adopt", free, "--adopt", boss);
    expect(code).toBe(1);
    expect(output).toMatch(/FAULT all: name_reserved/);
    expect(output).toMatch(new RegExp(`FAULT ${free}: there is no chat user`));
    expect(output).toMatch(new RegExp(`FAULT ${boss}: .*staff`));
    await chat.ask("PUT", `/users/${id}/roles`, { roles: "system_user" });
  });
});
