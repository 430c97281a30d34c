import { createHash } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signText as signAsWallet } from "../../../lib/hive/private-key.ts";
import { startAccountNode } from "../../harness/account-node.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { postingKey, signText } from "../../harness/form-access-token.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const realNow = Date.now;
/** The secret of gateways that the harness starts. */
const secret = "0123456789abcdef0123456789abcdef";
const desktop = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
};

describe("/api/auth/wallet", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeEach(async () => {
    node = await startAccountNode(["alice", "bob"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await gateway.close();
    await node.close();
  });

  const { send, cookieOf, challenge, answer, refresh, askWallet, signByWallet, openByWallet } =
    createAuthClient(() => gateway.url);

  type Asked = Awaited<ReturnType<typeof askWallet>>;

  /** Opens the callback as the phone's browser does. */
  const visit = async ({ id, message }: Asked, headers: Record<string, string> = {}) => {
    const signature = signText(message, postingKey("alice"));
    const response = await fetch(`${gateway.url}/api/auth/wallet/${id}?signature=${signature}`, {
      headers: { accept: "text/html", ...headers },
    });
    return { status: response.status, headers: response.headers, page: await response.text() };
  };
  const end = (id: string, endToken: string | undefined) =>
    send("POST", `/api/auth/wallet/${id}/end`, { body: { endToken } });
  const passSeconds = (seconds: number) => {
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + seconds * 1000);
  };
  const expired = { status: 401, body: { code: "challenge_expired" } };
  const unauthorized = { status: 401, body: { code: "unauthorized" } };

  describe("challenge", () => {
    it("names the site, the account, its expiry and that another browser is signed in", async () => {
      const { message, expiresAt } = await askWallet();
      const { signed_message, authors } = JSON.parse(message);
      expect(authors).toEqual(["alice"]);
      expect(signed_message).toMatchObject({ type: "login", expires: expiresAt });
      expect(signed_message.app).toMatch(/^localhost:/);
      for (const part of ["Signing in another browser", signed_message.app, "as alice"])
        expect(signed_message.purpose).toContain(part);
    });

    it("names the program, system and address of the browser that asked", async () => {
      const { message } = await askWallet("alice", desktop);
      const { purpose } = JSON.parse(message).signed_message;
      expect(purpose).toContain("Signing in another browser (Firefox on Linux, from 127.0.0.1) to http");
    });

    // Such a page runs in the wallet owner's own browser, whose name and address the text then has.
    it.each([
      ["its site", "https://app.example.net", "app.example.net"],
      [
        "the end of its site",
        `https://${"a".repeat(60)}.chat.example.com.example.net`,
        ".example.com.example.net",
      ],
      ["no brackets of its site", "https://a)b,c(.example.net", "on a page of abc.example.net, from"],
      ["an unknown site, for a page without one", "null", "on a page of an unknown site, from"],
    ])("names %s, if a page of another site asks", async (_, origin, named) => {
      const asked = await askWallet("alice", { origin, "sec-fetch-site": "cross-site" });
      const { purpose } = JSON.parse(asked.message).signed_message;
      expect(purpose).toMatch(
        /^Signing in another browser \([^()]*on a page of [^(),]*, from 127\.0\.0\.1\) to http/,
      );
      expect(purpose).toContain(named);
      expect(await signByWallet(asked)).toMatchObject({ status: 200 });
    });

    // Without https, any site can have its name resolve to this server, and then passes for its own.
    it("names the host that was asked, if it is another name than the gateway's", async () => {
      const purposeFrom = (host: string) =>
        new Promise<string>((resolve, reject) => {
          const headers = { host, origin: `http://${host}`, "content-type": "application/json" };
          const asking = request(`${gateway.url}/api/auth/challenge`, { method: "POST", headers });
          asking.on("error", reject).on("response", (incoming) => text(incoming).then(resolve, reject));
          asking.end(JSON.stringify({ username: "alice", via: "link" }));
        });
      expect(await purposeFrom("rebound.example.net")).toContain("on a page of rebound.example.net, from");
      for (const host of ["localhost:0", "127.0.0.1:3000", "[::1]:3000"])
        expect(await purposeFrom(host)).not.toContain("on a page of");
    });

    it("names no site if a page of its own or of an allowed origin asks", async () => {
      await gateway.close();
      const allowed = "https://app.example.com";
      gateway = await startGateway({ settings: { HIVE_NODES: node.url, ALLOWED_ORIGINS: allowed } });
      for (const origin of [new URL(gateway.url).origin, allowed])
        expect((await askWallet("alice", { origin })).message).not.toContain("on a page of");
    });

    it("lets no browser's name pass for another part of the text", async () => {
      const { message } = await askWallet("alice", { "user-agent": "Z, from 1.1.1.1) to (/9 (x" });
      const { purpose } = JSON.parse(message).signed_message;
      expect(purpose).toMatch(/^Signing in another browser \([^(),]*, from 127\.0\.0\.1\) to http/);
    });

    it.each([
      ["an IPv6 network", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
      ["no address", "x".repeat(2000), ""],
      ["no address, but brackets", "1.1.1.1) to", ""],
    ])("can be signed if the proxy gives %s", async (_, forwarded, shown) => {
      await gateway.close();
      gateway = await startGateway({ settings: { HIVE_NODES: node.url, TRUST_PROXY: "1" } });
      const asked = await askWallet("alice", { "x-forwarded-for": forwarded });
      expect(asked.message).toContain(`from ${shown || "an unknown address"}) to http`);
      expect(await signByWallet(asked)).toMatchObject({ status: 200, body: { asker: { address: shown } } });
    });

    it("keeps the secret out of the text to sign and out of the callback's address", async () => {
      const { id, message, secret } = await askWallet();
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(message).not.toContain(secret);
      expect(id).not.toContain(secret);
    });

    it("is accepted only by the callback", async () => {
      const { message } = await askWallet();
      expect(await answer(message)).toMatchObject(unauthorized);
    });

    it.each(["link ", "LINK", 7])("returns 400 for via %j", async (via) => {
      const body = { username: "alice", via };
      expect(await send("POST", "/api/auth/challenge", { body })).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    });
  });

  describe("callback", () => {
    it("shows the account and the browser that asked, and signs in no phone", async () => {
      const { status, headers, page } = await visit(await askWallet("alice", desktop));
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.getSetCookie()).toEqual([]);
      for (const part of ["Signed in as @alice", "Firefox / Linux", "127.0.0.1", "End it"])
        expect(page).toContain(part);
      expect(page).not.toMatch(/eyJ|<script/);
    });

    it.each([
      ["en", "on a page of app.example.net"],
      ["es", "en una página de app.example.net"],
    ])("shows which other site's page asked, in language %s", async (language, shown) => {
      const asked = await askWallet("alice", { origin: "https://app.example.net" });
      const { page } = await visit(asked, { "accept-language": language });
      expect(page).toContain(shown);
    });

    it("loads nothing and sends its form only to this server", async () => {
      const { headers } = await visit(await askWallet());
      const policy = headers.get("content-security-policy");
      for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
        expect(policy).toContain(rule);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    });

    it("shows its page in Spanish to those who prefer it", async () => {
      const { page } = await visit(await askWallet(), { "accept-language": "es-MX,es;q=0.9" });
      expect(page).toContain("Sesión iniciada como @alice");
    });

    it("shows a browser's name as text, whatever it contains", async () => {
      const { page } = await visit(await askWallet("alice", { "user-agent": `<b>"'&` }));
      expect(page).not.toContain("<b>");
    });

    it("accepts the same signature again and changes nothing", async () => {
      const asked = await askWallet();
      const answers = await Promise.all(Array.from({ length: 8 }, () => signByWallet(asked)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect((await visit(asked)).page).toContain("Signed in as @alice");
      const opened = await openByWallet(asked, 0);
      expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
      expect((await signByWallet(asked)).status).toBe(200);
      expect((await refresh(opened.body.refreshToken)).status).toBe(200);
    });

    it("refuses a second signature of the same text", async () => {
      const asked = await askWallet();
      expect((await signByWallet(asked)).status).toBe(200);
      const other = signAsWallet(asked.message, postingKey("alice").toString()) ?? "";
      expect(other).not.toBe(signText(asked.message, postingKey("alice")));
      const body = { signature: other };
      expect(await send("POST", `/api/auth/wallet/${asked.id}`, { body })).toMatchObject(unauthorized);
    });

    it("refuses a signature that is five minutes late", async () => {
      const asked = await askWallet();
      passSeconds(301);
      expect(await signByWallet(asked)).toMatchObject(expired);
      const { status, page } = await visit(asked);
      expect(status).toBe(401);
      expect(page).toContain("The signature came too late");
    });

    it.each([
      ["another account's key", () => postingKey("bob")],
      ["the active key", () => postingKey("alice", "active")],
      ["the owner key", () => postingKey("alice", "owner")],
    ])("refuses %s and stays open for the right one", async (_, keyOf) => {
      const asked = await askWallet();
      expect(await signByWallet(asked, keyOf())).toMatchObject(unauthorized);
      expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });
      expect((await signByWallet(asked)).status).toBe(200);
    });

    it("refuses an account that only another chain has", async () => {
      const asked = await askWallet("stranger");
      expect(await signByWallet(asked, postingKey("stranger"))).toMatchObject({
        status: 401,
        body: { error: "The chain has no account of this name." },
      });
    });

    it("refuses the signature of another challenge", async () => {
      const [mine, other] = [await askWallet(), await askWallet()];
      const plain = await challenge();
      for (const message of [other.message, plain])
        expect(await signByWallet({ id: mine.id, message })).toMatchObject(unauthorized);
    });

    it("refuses an id that was not issued here", async () => {
      const { id, message } = await askWallet();
      const [content = "", code = ""] = id.split(".");
      const forged = Buffer.from(content, "base64url").toString().replace("alice", "bobby");
      const ids = [`${Buffer.from(forged).toString("base64url")}.${code}`, content, `${content}.x`, "x"];
      for (const one of [...ids, "x".repeat(2000)])
        expect(await signByWallet({ id: one, message })).toMatchObject(unauthorized);
    });

    it.each([".", ".x", "..", "=", "%00", "~"])(
      "refuses its id with %j appended, and opens nothing by it",
      async (more) => {
        const asked = await askWallet();
        const longer = { ...asked, id: asked.id + more };
        expect(await signByWallet(longer)).toMatchObject(unauthorized);
        expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });
        await signByWallet(asked);
        const opened = await openByWallet(asked, 0);
        expect(await openByWallet(longer, 0)).toMatchObject({ ...unauthorized, cookie: "" });
        expect((await refresh(opened.body.refreshToken)).status).toBe(200);
      },
    );

    it.each([
      ["cut", "cut" as const],
      ["silent", "hang" as const],
    ])("returns 503 while the chain is %s, and accepts the signature later", async (_, fault) => {
      const asked = await askWallet();
      node.setFault(fault);
      expect(await signByWallet(asked)).toMatchObject({ status: 503, body: { code: "auth_unavailable" } });
      node.setFault(null);
      expect((await signByWallet(asked)).status).toBe(200);
    });

    it("stays open while the session secret is replaced", async () => {
      const asked = await askWallet();
      await gateway.close();
      const replaced = { SESSION_SECRET: "n".repeat(32), SESSION_SECRET_PREVIOUS: secret };
      gateway = await startGateway({ settings: { HIVE_NODES: node.url, ...replaced } });
      expect((await signByWallet(asked)).status).toBe(200);
      expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
    });

    it("returns 429 to an address that calls it more than 120 times a minute", async () => {
      await gateway.close();
      gateway = await startGateway({ settings: { HIVE_NODES: node.url, RATE_LIMITS: "on" } });
      const guess = () => signByWallet({ id: "x", message: "x" });
      const answers = await Promise.all(Array.from({ length: 150 }, guess));
      const statuses = answers.map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
    });

    it("leaves the end of a sign-in possible to an address that has used up its other requests", async () => {
      await gateway.close();
      gateway = await startGateway({ settings: { HIVE_NODES: node.url, RATE_LIMITS: "on" } });
      const asked = await askWallet();
      const { body } = await signByWallet(asked);
      const answers = await Promise.all(
        Array.from({ length: 150 }, () => signByWallet({ id: "x", message: "x" })),
      );
      expect(answers.some(({ status }) => status === 429)).toBe(true);
      expect((await end(asked.id, body.endToken)).status).toBe(200);
    });

    it("returns 400 without a signature", async () => {
      const { id } = await askWallet();
      expect(await send("GET", `/api/auth/wallet/${id}`)).toMatchObject({ status: 400 });
      expect(await send("POST", `/api/auth/wallet/${id}`, { body: {} })).toMatchObject({ status: 400 });
    });
  });

  describe("session", () => {
    it("signs in the page that asked, with the same tokens and cookie as a login", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      const opened = await openByWallet(asked, 0);
      expect(opened).toMatchObject({ status: 200, body: { state: "signed_in", username: "alice" } });
      for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Secure"])
        expect(opened.cookie).toContain(part);
      expect(await send("GET", "/api/auth/session", { headers: cookieOf(opened) })).toMatchObject({
        status: 200,
        body: { username: "alice" },
      });
      expect((await refresh(opened.body.refreshToken)).status).toBe(200);
    });

    it("reaches a page that is already waiting", async () => {
      const asked = await askWallet();
      const waiting = openByWallet(asked);
      waiting.catch(() => undefined);
      await signByWallet(asked);
      expect((await waiting).body).toMatchObject({ state: "signed_in", username: "alice" });
    });

    it("answers waiting, without a cookie, until the wallet has signed", async () => {
      expect(await openByWallet(await askWallet(), 0)).toMatchObject({
        ...{ status: 200, cookie: "" },
        body: { state: "waiting" },
      });
    });

    it("is one session for a page that asks many times, and for one that was closed and opened again", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      const opened = await Promise.all(Array.from({ length: 8 }, () => openByWallet(asked, 0)));
      const ids = opened.map(({ body }) => decodeJwt(body.accessToken ?? "").sid);
      expect(new Set(ids).size).toBe(1);
      const again = await openByWallet(asked, 0);
      expect(decodeJwt(again.body.accessToken ?? "").sid).toBe(ids[0]);
      expect((await refresh(again.body.refreshToken)).status).toBe(200);
    });

    it("is served by another process on the same store", async () => {
      const asked = await askWallet();
      const settings = { HIVE_NODES: node.url, DATA_DIR: gateway.dataDir };
      const other = await startGateway({ settings });
      try {
        const elsewhere = createAuthClient(() => other.url);
        expect((await elsewhere.signByWallet(asked)).status).toBe(200);
        expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
        expect((await elsewhere.openByWallet(asked, 0)).body.state).toBe("signed_in");
      } finally {
        await other.close();
      }
    });

    it("still reaches the page if the wallet signed in the last second", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      passSeconds(330);
      expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
      passSeconds(361);
      expect(await openByWallet(asked, 0)).toMatchObject(expired);
    });

    it("ends with the challenge if nobody signed", async () => {
      const asked = await askWallet();
      passSeconds(301);
      expect(await openByWallet(asked, 0)).toMatchObject(expired);
    });

    it("needs the secret, which nobody can compute from the link", async () => {
      const [asked, other] = [await askWallet(), await askWallet()];
      const { body } = await signByWallet(asked);
      const guesses = [other.secret, body.endToken, asked.id.split(".")[1], "", "x"];
      for (const secret of [...guesses, createHash("sha256").update(asked.id).digest("base64url")])
        expect(await openByWallet({ id: asked.id, secret: secret ?? "" }, 0)).toMatchObject({
          ...unauthorized,
          cookie: "",
        });
    });

    it("stays ended after the page has signed out", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      const opened = await openByWallet(asked, 0);
      await send("POST", "/api/auth/logout", { body: { refreshToken: opened.body.refreshToken } });
      expect(await openByWallet(asked, 0)).toMatchObject(unauthorized);
    });

    it("is not returned once its refresh token has been used", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      const opened = await openByWallet(asked, 0);
      expect((await refresh(opened.body.refreshToken)).status).toBe(200);
      expect(await openByWallet(asked, 0)).toMatchObject(unauthorized);
      expect(await send("GET", "/api/auth/session", { headers: cookieOf(opened) })).toMatchObject({
        status: 200,
      });
    });

    it.each([-1, 26, "5"])("returns 400 for a wait of %j seconds", async (waitSeconds) => {
      const { id, secret } = await askWallet();
      const body = { secret, waitSeconds };
      expect(await send("POST", `/api/auth/wallet/${id}/session`, { body })).toMatchObject({ status: 400 });
    });
  });

  describe("end", () => {
    it("keeps the page out that has not got its session yet", async () => {
      const asked = await askWallet();
      const { body } = await signByWallet(asked);
      expect((await end(asked.id, body.endToken)).body).toEqual({ ok: true });
      expect(await openByWallet(asked, 0)).toMatchObject({
        status: 401,
        body: { error: "The account's owner has ended this sign-in." },
      });
      expect((await visit(asked)).page).toContain("The sign-in as @alice has ended");
    });

    it("needs the token that only the wallet's answer contains", async () => {
      const asked = await askWallet();
      await signByWallet(asked);
      for (const token of [asked.secret, asked.id.split(".")[1], "", "x"])
        expect(await end(asked.id, token)).toMatchObject(unauthorized);
      expect((await openByWallet(asked, 0)).body.state).toBe("signed_in");
    });

    it("returns 413 for a form that is too long", async () => {
      const { id } = await askWallet();
      const body = new URLSearchParams({ endToken: "x".repeat(2000) });
      const response = await fetch(`${gateway.url}/api/auth/wallet/${id}/end`, { method: "POST", body });
      expect(response.status).toBe(413);
    });
  });
});
