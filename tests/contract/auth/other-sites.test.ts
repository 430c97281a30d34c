import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, postingKey, signText } from "../../harness/form-access-token.ts";
import { type Chat, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

/** The other suites use our secret too, because a shared Mattermost identifies its people by one secret. */
const SECRETS = { ours: "0123456789abcdef0123456789abcdef", theirs: "b".repeat(32) };

describe.each(["another secret", "the same secret"])("a gateway next to a site with %s", (kind) => {
  let chat: Chat;
  let ours: Gateway;
  let theirs: Gateway;
  const us = createAuthClient(() => ours.url);
  const them = createAuthClient(() => theirs.url);

  beforeAll(async () => {
    chat = await startChat();
    const start = (host: string, secret: string) =>
      startGateway({
        settings: {
          ...chat.settings,
          PUBLIC_URL: `https://${host}`,
          CHAT_APP_IDS: "",
          SESSION_SECRET: secret,
        },
      });
    ours = await start("chat.example.com", SECRETS.ours);
    theirs = await start("evil.example.com", kind === "the same secret" ? SECRETS.ours : SECRETS.theirs);
  });
  afterAll(async () => {
    await ours.close();
    await theirs.close();
    await chat.close();
  });

  const bootstrap = (accessToken: unknown, name = "alice") =>
    requestBootstrap(ours.url, name, { accessToken }).then(({ status, body }) => [status, body.code]);
  const refused = [401, "unauthorized"];
  const asAccessToken = (message: string, extra: Record<string, unknown> = {}) =>
    Buffer.from(
      JSON.stringify({
        ...JSON.parse(message),
        ...extra,
        signatures: [signText(message, postingKey("alice"))],
      }),
    ).toString("base64url");

  it("refuses the answer to the other site's challenge, as an access token and as a login", async () => {
    const message = await them.challenge();
    expect(await bootstrap(asAccessToken(message))).toEqual(refused);
    expect(await us.answer(message)).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
      cookie: "",
    });
    expect((await them.answer(message)).status).toBe(200);
  });

  it("refuses the answer to its own challenge as an access token, before and after the login", async () => {
    const message = await us.challenge();
    expect(await bootstrap(asAccessToken(message))).toEqual(refused);
    expect((await us.answer(message)).status).toBe(200);
    expect(await bootstrap(asAccessToken(message))).toEqual(refused);
  });

  it("refuses the other site's access token, refresh token and cookie", async () => {
    const logged = await them.login();
    expect(await bootstrap(logged.body.accessToken)).toEqual(refused);
    expect(await bootstrap(logged.body.refreshToken)).toEqual(refused);
    expect((await us.refresh(logged.body.refreshToken)).status).toBe(401);
    const headers = { ...us.cookieOf(logged), ...us.sameSite };
    expect((await us.send("GET", "/api/auth/session", { headers })).status).toBe(401);
    expect((await us.send("POST", "/api/auth/refresh", { headers })).status).toBe(401);
  });

  it.each(["login", "refresh", "offline"])(
    "refuses a signed text of type %s as an access token",
    async (type) => {
      expect(await bootstrap(formAccessToken("alice", { app: "chat.example.com", type }))).toEqual(refused);
    },
  );

  it("accepts app-formed tokens for its own host, but not for other hosts or app ids", async () => {
    const [status] = await bootstrap(formAccessToken("alice", { app: "chat.example.com" }));
    expect(status).toBe(200);
    for (const app of ["evil.example.com", "hivegate", "localhost:0", ""])
      expect(await bootstrap(formAccessToken("alice", { app }))).toEqual(refused);
  });

  it("names its host, the account, the purpose and the expiry in the text to sign", async () => {
    const { body } = await us.send("POST", "/api/auth/challenge", { body: { username: "alice" } });
    const { signed_message, authors, timestamp } = JSON.parse(body.message ?? "");
    expect(authors).toEqual(["alice"]);
    expect(signed_message).toMatchObject({ type: "login", app: "chat.example.com", expires: body.expiresAt });
    expect(signed_message.purpose).toContain("https://chat.example.com");
    expect(signed_message.purpose).toContain("alice");
    expect(Date.parse(body.expiresAt ?? "")).toBe((timestamp + 300) * 1000);
  });

  it("names its configured host in the text to sign, whatever host the request names", async () => {
    const response = await fetch(`${ours.url}/api/auth/challenge`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-forwarded-host": "evil.example.com",
        forwarded: "host=evil.example.com",
        origin: "https://evil.example.com",
      },
      body: JSON.stringify({ username: "alice" }),
    });
    const text = await response.text();
    expect(text).toContain("chat.example.com");
    expect(text).not.toContain("evil");
  });

  it("refuses the answer to its own challenge if it is rewritten, for another account or reused", async () => {
    const message = await us.challenge();
    const texts = [
      message.replace('"type":"login"', '"type":"login","type":"login"'),
      message.replace('{"signed_message":', '{"authors":["bob"],"signed_message":'),
      message.replace("chat.example.com", "evil.example.com"),
      message.replace(/"purpose":"[^"]*",/, ""),
      message.replace(/"expires":"\d/, '"expires":"3'),
      JSON.stringify(JSON.parse(message), null, 1),
    ];
    for (const text of texts) {
      expect(text).not.toBe(message);
      expect((await us.answer(text)).status).toBe(401);
    }
    expect((await us.answer(message, postingKey("bob"), "bob")).status).toBe(401);
    expect((await us.answer(message)).status).toBe(200);
    expect((await us.answer(message)).status).toBe(401);
  });
});

describe("a gateway without a public address", () => {
  it("refuses app-formed tokens until CHAT_APP_IDS names the app, but accepts its own page's in the sandbox", async () => {
    const chat = await startChat();
    const statusOf = async (ids: string, app: string, sandbox = false) => {
      const settings = { ...chat.settings, CHAT_APP_IDS: ids };
      const empty = { accounts: [], chat: null, chain: null };
      const gateway = await startGateway({ settings, ...(sandbox && { sandbox: empty }) });
      const accessToken = formAccessToken("alice", { app });
      const { status } = await requestBootstrap(gateway.url, "alice", { accessToken });
      await gateway.close();
      return status;
    };
    for (const app of ["hivegate", "localhost:0", "localhost"]) expect(await statusOf("", app)).toBe(401);
    expect(await statusOf("my.app, other", "my.app")).toBe(200);
    expect(await statusOf("", "localhost:0", true)).toBe(200);
    await chat.close();
  });
});
