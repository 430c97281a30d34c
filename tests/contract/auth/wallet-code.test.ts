import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startAccountNode } from "../../harness/account-node.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, formSignInProof, postingKey } from "../../harness/form-access-token.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const realNow = Date.now;
const origin = "https://chat.example.com";

describe("a code of Ecency at /api/auth/wallet/{id}", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeAll(async () => {
    node = await startAccountNode(["alice", "bob"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url, PUBLIC_URL: origin } });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  const { send, askWallet, openByWallet } = createAuthClient(() => gateway.url);
  const proofOf = (account = "alice", options: Parameters<typeof formSignInProof>[1] = {}) =>
    formSignInProof(account, { audience: origin, ...options });
  /** Opens the callback as Ecency has a browser do. */
  const visit = async (id: string, code: string, cookie = "") => {
    const fields = new URLSearchParams({ status: "success", username: "alice", code, request_id: "r" });
    const response = await fetch(`${gateway.url}/api/auth/wallet/${id}?${fields}`, {
      headers: { accept: "text/html", cookie },
    });
    return { status: response.status, page: await response.text() };
  };
  /** Presses the button of the page that asks for consent. */
  const press = async (page: string) => {
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    const [, code = ""] = /name="code" value="([^"]+)"/.exec(page) ?? [];
    const response = await fetch(gateway.url + action, {
      method: "POST",
      body: new URLSearchParams({ code }),
    });
    return { status: response.status, page: await response.text() };
  };
  const post = (id: string, code: string) => send("POST", `/api/auth/wallet/${id}/code`, { body: { code } });

  it("signs in at once in the browser that asked, and leaves no code in its address", async () => {
    const asked = await askWallet();
    const { status, page } = await visit(asked.id, proofOf(), asked.cookie);
    expect(status).toBe(200);
    expect(page).toContain("Signed in as @alice");
    expect(page).toContain(`data-address="/api/auth/wallet/${asked.id}"`);
    expect((await openByWallet(asked, 0)).body).toMatchObject({ state: "signed_in", username: "alice" });
  });

  it("asks its owner first in any other browser, and names the one that asks", async () => {
    const asked = await askWallet("alice", {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/142.0",
      origin: "https://app.example.net",
    });
    const { status, page } = await visit(asked.id, proofOf());
    expect(status).toBe(200);
    for (const part of [
      "Sign in another browser as @alice?",
      "Firefox / Linux, on a page of app.example.net, 127.0.0.1",
    ])
      expect(page).toContain(part);
    expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });

    const consented = await press(page);
    expect(consented.status).toBe(200);
    for (const part of ["Signed in as @alice", "End it"]) expect(consented.page).toContain(part);
    expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
  });

  it("asks its owner on a page whose address loses the code, and which says so if it is loaded again", async () => {
    const asked = await askWallet();
    const { page } = await visit(asked.id, proofOf());
    const address = /data-address="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(address).toBe(`/api/auth/wallet/${asked.id}`);
    const again = await fetch(gateway.url + address, { headers: { accept: "text/html" } });
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("Ask again on the page where you began");
    expect((await press(page)).page).toContain("Signed in as @alice");
  });

  it("leaves a browser with eight cookies of those that ask, the newest ones", async () => {
    const kept: string[] = [];
    for (let asks = 0; asks < 12; asks += 1) {
      const body = { username: "alice", via: "link" };
      const { headers } = await send("POST", "/api/auth/challenge", {
        body,
        headers: { cookie: ["session=s", ...kept, "theme=dark"].join("; ") },
      });
      for (const line of headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const name = pair.slice(0, pair.indexOf("=") + 1);
        if (!line.includes("Max-Age=0")) kept.push(pair);
        else
          kept.splice(
            kept.findIndex((other) => other.startsWith(name)),
            1,
          );
      }
      expect(kept.length).toBe(Math.min(asks + 1, 8));
    }
    expect(kept.every((pair) => /^__Host-asker_[\w-]+=[\w-]{43}$/.test(pair))).toBe(true);
  });

  it("knows the browser that asked by a cookie that no other host can set", async () => {
    const body = { username: "alice", via: "link" };
    const { cookie } = await send("POST", "/api/auth/challenge", { body });
    expect(cookie).toMatch(
      /^__Host-asker_[\w-]+=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const asked = await askWallet();
    const { page } = await visit(asked.id, proofOf(), asked.cookie.replace("__Host-", ""));
    expect(page).toContain("Sign in another browser as @alice?");
  });

  it("shows what it has signed in if the callback is opened again after the consent", async () => {
    const asked = await askWallet();
    const code = proofOf();
    await press((await visit(asked.id, code)).page);
    expect((await visit(asked.id, code)).page).toContain("Signed in as @alice");
  });

  it("signs in by JSON with the button's token", async () => {
    const asked = await askWallet();
    const answer = await post(asked.id, proofOf());
    expect(answer).toMatchObject({ status: 200, body: { username: "alice", isEnded: false } });
    const { endToken } = answer.body;
    expect((await send("POST", `/api/auth/wallet/${asked.id}/end`, { body: { endToken } })).status).toBe(200);
    expect((await openByWallet(asked, 0)).status).toBe(401);
  });

  it("serves one sign-in only, also when two arrive together", async () => {
    const [first, second] = [await askWallet(), await askWallet()];
    const code = proofOf();
    const answers = await Promise.all([post(first.id, code), post(second.id, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const third = await askWallet();
    expect((await visit(third.id, code, third.cookie)).status).toBe(401);
  });

  it.each<[string, () => string]>([
    ["for another site", () => proofOf("alice", { audience: "https://other.example.com" })],
    ["for this host by http", () => proofOf("alice", { audience: "http://chat.example.com" })],
    ["for no site, as any site could have received", () => formSignInProof("alice", {})],
    ["of HiveSigner's form for Ecency", () => formAccessToken("alice", { app: "ecency.app" })],
    ["of another app", () => proofOf("alice", { app: "hivegate" })],
    ["of another account", () => proofOf("bob")],
    ["by another key", () => proofOf("alice", { key: postingKey("bob") })],
    ["by the active key", () => proofOf("alice", { key: postingKey("alice", "active") })],
    ["that is six minutes old", () => proofOf("alice", { secondsAgo: 360 })],
    ["from the future", () => proofOf("alice", { secondsAgo: -120 })],
    ["that is no code", () => "x"],
  ])("refuses a code %s", async (_, form) => {
    const asked = await askWallet();
    const code = form();
    expect((await visit(asked.id, code, asked.cookie)).status).toBe(401);
    expect((await visit(asked.id, code)).status).toBe(401);
    expect(await post(asked.id, code)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });
  });

  it.each([
    ["from the future", -120],
    ["that is six minutes old", 360],
  ])("%s has its owner look at the device's clock", async (_, secondsAgo) => {
    const asked = await askWallet();
    const { page } = await visit(asked.id, proofOf("alice", { secondsAgo }), asked.cookie);
    expect(page).toContain("on a device whose clock is right");
  });

  it("is no access token: bootstrap refuses it", async () => {
    const body = { username: "alice", accessToken: proofOf() };
    expect((await send("POST", "/api/chat/bootstrap", { body })).status).toBe(401);
  });

  it("comes too late after five minutes", async () => {
    const asked = await askWallet();
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + 301_000);
    expect(await post(asked.id, proofOf())).toMatchObject({
      status: 401,
      body: { code: "challenge_expired" },
    });
  });

  it("explains that Ecency's user has declined", async () => {
    const { id } = await askWallet();
    const response = await fetch(`${gateway.url}/api/auth/wallet/${id}?status=error&error=user_cancelled`);
    expect(await response.text()).toContain("The wallet has signed nothing");
  });

  it("returns 400 without a code and 413 for a form that is too long", async () => {
    const { id } = await askWallet();
    expect(await send("POST", `/api/auth/wallet/${id}/code`, { body: {} })).toMatchObject({ status: 400 });
    const body = new URLSearchParams({ code: "x".repeat(20_000) });
    const response = await fetch(`${gateway.url}/api/auth/wallet/${id}/code`, { method: "POST", body });
    expect(response.status).toBe(413);
  });
});
