import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startAccountNode } from "../../harness/account-node.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, formSignInProof, postingKey } from "../../harness/form-access-token.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const app = "shop.app";
const realNow = Date.now;

describe("GET /api/auth/hivesigner", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeAll(async () => {
    node = await startAccountNode(["alice", "bob", "carol"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url, HIVESIGNER_APP: app } });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  const { askWallet, openByWallet, signByWallet } = createAuthClient(() => gateway.url);
  type Asked = Awaited<ReturnType<typeof askWallet>>;

  const taken = new Set<number>();
  /** Signs a code as HiveSigner does, each at another second. */
  const codeOf = (
    account = "alice",
    { secondsAgo = 0, ...options }: Parameters<typeof formAccessToken>[1] = {},
  ) => {
    let timestamp = Math.floor(realNow() / 1000) - secondsAgo;
    while (taken.has(timestamp)) timestamp -= 1;
    taken.add(timestamp);
    return formAccessToken(account, { app, timestamp, ...options });
  };

  /** Opens the redirect address as HiveSigner has the browser do. */
  const comeBack = async (
    { id, cookie }: Pick<Asked, "id" | "cookie">,
    query: Record<string, string> = { code: codeOf() },
    url = gateway.url,
  ) => {
    const fields = new URLSearchParams({ state: id, username: "alice", expires_in: "604800", ...query });
    const response = await fetch(`${url}/api/auth/hivesigner?${fields}`, {
      headers: { accept: "text/html", cookie },
      redirect: "manual",
    });
    return { status: response.status, headers: response.headers, page: await response.text() };
  };

  it("signs in the page that asked, by a code in HiveSigner's form", async () => {
    const asked = await askWallet();
    const { status, page } = await comeBack(asked);
    expect(status).toBe(200);
    for (const part of ["Signed in as @alice", "End it"]) expect(page).toContain(part);
    expect(await openByWallet(asked, 0)).toMatchObject({
      status: 200,
      body: { state: "signed_in", username: "alice" },
    });
  });

  it.each([
    ["padded with dots", (code: string) => code + ".".repeat((4 - (code.length % 4)) % 4)],
    ["in the standard alphabet", (code: string) => Buffer.from(code, "base64url").toString("base64")],
  ])("accepts a code %s", async (_, encode) => {
    const asked = await askWallet();
    expect((await comeBack(asked, { code: encode(codeOf()) })).status).toBe(200);
  });

  it("is refused in a browser that did not ask, and signs no one in", async () => {
    const [asked, other] = [await askWallet(), await askWallet()];
    for (const cookie of ["", other.cookie, asked.cookie.replace(/=.*/, "=x")]) {
      const { status, page } = await comeBack({ id: asked.id, cookie });
      expect(status).toBe(401);
      expect(page).toContain("asked for in another browser");
    }
    expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });
  });

  it("is used up by a browser that did not ask, but not by an unreadable one", async () => {
    const [asked, other] = [await askWallet(), await askWallet()];
    const code = codeOf();
    expect((await comeBack({ id: asked.id, cookie: "" }, { code: "x" })).status).toBe(401);
    expect((await comeBack({ id: asked.id, cookie: "" }, { code })).status).toBe(401);
    for (const one of [asked, other]) {
      const { status, page } = await comeBack(one, { code });
      expect(status).toBe(401);
      expect(page).toContain("It must be made once");
    }
    expect((await comeBack(asked)).status).toBe(200);
  });

  it("shows a page whose address is replaced by one without the code, and which can be loaded again", async () => {
    const asked = await askWallet();
    const { headers, page } = await comeBack(asked);
    const address = /data-address="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(address).toBe(`/api/auth/wallet/${asked.id}`);
    expect(page).toContain("history.replaceState");
    expect(headers.get("content-security-policy")).toContain("script-src 'sha256-");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(page).not.toContain("code");
    const again = await fetch(gateway.url + address, { headers: { cookie: asked.cookie } });
    expect(await again.text()).toContain("Signed in as @alice");
    expect((await fetch(gateway.url + address)).status).toBe(400);
  });

  it("never redirects, whatever the query names", async () => {
    const asked = await askWallet();
    const elsewhere = { redirect_uri: "https://evil.example", next: "//evil.example" };
    const { status, headers, page } = await comeBack(asked, { code: codeOf(), ...elsewhere });
    expect([status, headers.get("location")]).toEqual([200, null]);
    expect(page).not.toContain("evil.example");
  });

  it("shows its page again for the same code, and refuses another one", async () => {
    const asked = await askWallet();
    const code = codeOf();
    expect((await comeBack(asked, { code })).status).toBe(200);
    expect((await comeBack(asked, { code })).page).toContain("Signed in as @alice");
    expect((await comeBack(asked)).status).toBe(401);
  });

  it("accepts a code for one sign-in only, however it is encoded", async () => {
    const [first, second] = [await askWallet(), await askWallet()];
    const code = codeOf();
    expect((await comeBack(first, { code })).status).toBe(200);
    for (const again of [code, `${code}.`, Buffer.from(code, "base64url").toString("base64")])
      expect((await comeBack(second, { code: again })).status).toBe(401);
    expect((await openByWallet(second, 0)).body).toEqual({ state: "waiting" });
    const asked = await Promise.all(Array.from({ length: 4 }, () => askWallet()));
    const raced = codeOf();
    const answers = await Promise.all(asked.map((one) => comeBack(one, { code: raced })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it.each<[string, () => string]>([
    ["another account's", () => codeOf("bob")],
    ["another key's", () => codeOf("alice", { key: postingKey("bob") })],
    ["the active key's", () => codeOf("alice", { key: postingKey("alice", "active") })],
    ["another app's", () => codeOf("alice", { app: "other.app" })],
    ["the gateway's own app's", () => codeOf("alice", { app: "hivegate" })],
    ["a refresh token's", () => codeOf("alice", { type: "refresh" })],
    ["a login's", () => codeOf("alice", { type: "login" })],
    ["a six-minute-old", () => codeOf("alice", { secondsAgo: 360 })],
    ["Ecency's", () => formSignInProof("alice", { audience: new URL(gateway.url).origin })],
    ["no one's", () => "x"],
  ])("refuses %s code, and stays open for the right one", async (_, form) => {
    const asked = await askWallet();
    const { status, page } = await comeBack(asked, { code: form() });
    expect(status).toBe(401);
    expect(page).toContain("This did not sign you in");
    expect((await comeBack(asked)).status).toBe(200);
  });

  it("refuses a state that was not issued here, and one that has expired", async () => {
    const asked = await askWallet();
    for (const state of ["x", `${asked.id}x`, "x".repeat(400)])
      expect((await comeBack({ ...asked, id: state })).status).toBe(401);
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + 301_000);
    const { status, page } = await comeBack(asked);
    expect(status).toBe(401);
    expect(page).toContain("The signature came too late");
  });

  it("returns 400 without a code or with one that is too long, and says so if nothing was signed", async () => {
    const asked = await askWallet();
    expect((await comeBack(asked, {})).status).toBe(400);
    expect((await comeBack(asked, { code: "x".repeat(5000) })).status).toBe(400);
    const { status, page } = await comeBack(asked, { error: "access_denied" });
    expect(status).toBe(200);
    expect(page).toContain("The wallet has signed nothing");
    expect((await openByWallet(asked, 0)).body).toEqual({ state: "waiting" });
  });

  it("returns 503 while the chain is unreachable, and accepts the code later", async () => {
    // The gateway has not read this account from the chain yet.
    const asked = await askWallet("carol");
    const code = codeOf("carol");
    node.setFault("cut");
    try {
      const { status, page } = await comeBack(asked, { code });
      expect(status).toBe(503);
      expect(page).not.toContain("history.replaceState");
    } finally {
      node.setFault(null);
    }
    expect((await comeBack(asked, { code })).status).toBe(200);
  });

  it("keeps out a challenge that a wallet has signed already", async () => {
    const asked = await askWallet();
    expect((await signByWallet(asked)).status).toBe(200);
    expect((await comeBack(asked)).status).toBe(401);
  });

  it("is 404 without HIVESIGNER_APP", async () => {
    const other = await startGateway({ settings: { HIVE_NODES: node.url } });
    try {
      expect((await comeBack({ id: "x", cookie: "" }, { code: codeOf() }, other.url)).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});
