import { describe, expect, it } from "vitest";
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
    return { opened: await openByWallet(asked, 0), endToken, action };
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
    expect(await refused.text()).toContain("This did not sign you in");
    expect((await refresh(opened.body.refreshToken)).status).toBe(200);
  });
});
