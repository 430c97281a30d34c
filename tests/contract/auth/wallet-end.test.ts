import { describe, expect, it, vi } from "vitest";
import { createAuthClient } from "../../harness/auth-client.ts";
import { postingKey, signText } from "../../harness/form-access-token.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("ending a sign-in from the page that the wallet opened", () => {
  const world = useChat();
  const { send, cookieOf, refresh, askWallet, openByWallet } = createAuthClient(() => world.gateway.url);

  /** Signs in a browser by a wallet, and returns the wallet's page with the form on it. */
  async function signIn() {
    const asked = await askWallet();
    const signature = signText(asked.message, postingKey("alice"));
    const page = await fetch(`${world.gateway.url}/api/auth/wallet/${asked.id}?signature=${signature}`);
    const [, endToken = ""] = /name="endToken" value="([^"]+)"/.exec(await page.text()) ?? [];
    const [, action = ""] = /action="([^"]+)"/.exec(await visitAgain(asked.id, signature)) ?? [];
    const visit = () => visitAgain(asked.id, signature);
    return { opened: await openByWallet(asked, 0), endToken, action, visit };
  }
  const visitAgain = async (id: string, signature: string) =>
    (await fetch(`${world.gateway.url}/api/auth/wallet/${id}?signature=${signature}`)).text();
  const press = ({ action, endToken }: { action: string; endToken: string }) =>
    fetch(world.gateway.url + action, { method: "POST", body: new URLSearchParams({ endToken }) });

  it("ends the login session, the chat token and the access token", async () => {
    const { opened, ...form } = await signIn();
    const { accessToken, refreshToken } = opened.body;
    const bootstrap = () => send("POST", "/api/chat/bootstrap", { body: { username: "alice", accessToken } });
    const { body } = await bootstrap();
    const me = () => send("GET", "/api/chat/me", { headers: { authorization: `Bearer ${body.token}` } });
    expect((await me()).status).toBe(200);

    const ended = await press(form);
    expect(ended.status).toBe(200);
    expect(await ended.text()).toContain("The sign-in as @alice has ended");

    expect((await me()).status).toBe(401);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await send("GET", "/api/auth/session", { headers: cookieOf(opened) })).status).toBe(401);
    expect((await bootstrap()).status).toBe(401);
  });

  it("can be repeated, and ends no other sign-in of the account", async () => {
    const [one, other] = [await signIn(), await signIn()];
    expect((await press(one)).status).toBe(200);
    expect((await press(one)).status).toBe(200);
    expect((await refresh(other.opened.body.refreshToken)).status).toBe(200);
  });

  it("explains a form with a wrong token, and ends nothing", async () => {
    const { opened, action } = await signIn();
    const refused = await press({ action, endToken: "x" });
    expect(refused.status).toBe(401);
    const page = await refused.text();
    expect(page).toContain("It is not ended yet");
    expect(page).not.toContain("<form");
    expect((await refresh(opened.body.refreshToken)).status).toBe(200);
  });

  it("shows the button again while Mattermost is down, and ends all with the next press", async () => {
    const { opened, ...form } = await signIn();
    const { accessToken } = opened.body;
    const { body } = await send("POST", "/api/chat/bootstrap", { body: { username: "alice", accessToken } });
    const me = () => send("GET", "/api/chat/me", { headers: { authorization: `Bearer ${body.token}` } });
    world.chat.proxy.treat(({ path }) => (path === "/users/tokens/revoke" ? "cut" : "pass"));

    const failed = await press(form);
    expect(failed.status).toBe(502);
    const page = await failed.text();
    for (const part of ["It is not ended yet", "Press again", form.action, form.endToken])
      expect(page).toContain(part);
    expect(await form.visit()).toContain("It is not ended yet");
    expect(await form.visit()).not.toContain("has ended");

    world.chat.proxy.treat(() => "pass");
    expect((await press(form)).status).toBe(200);
    expect((await me()).status).toBe(401);
    expect(await form.visit()).toContain("The sign-in as @alice has ended");
  });

  it("ends a chat token that is being created meanwhile", async () => {
    const { opened, ...form } = await signIn();
    const { accessToken } = opened.body;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let tellAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    world.chat.proxy.treat(({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/tokens")) return "pass";
      tellAsked();
      return { until: released };
    });
    const bootstrap = send("POST", "/api/chat/bootstrap", { body: { username: "alice", accessToken } });
    bootstrap.catch(() => undefined);
    try {
      await asked;
      expect((await press(form)).status).toBe(200);
    } finally {
      release();
    }
    expect((await bootstrap).status).toBe(401);
    expect(world.chat.proxy.calls()).toContain("POST /users/tokens/revoke");
  });

  it("is possible although the clock was set back", async () => {
    const { opened, ...form } = await signIn();
    const realNow = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => realNow() - 3_600_000);
    try {
      expect((await press(form)).status).toBe(200);
    } finally {
      vi.restoreAllMocks();
    }
    expect((await refresh(opened.body.refreshToken)).status).toBe(401);
  });
});
