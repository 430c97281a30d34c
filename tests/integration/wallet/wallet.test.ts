import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openShop } from "../../harness/open-shop.ts";
import { walletsOf } from "../../harness/open-wallet.ts";
import { signing, signingDid } from "../../harness/signing-key.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell, serve } = await openShop();
const openWallet = walletsOf(shop);

const report = () => new Response("All is well.", { headers: { "content-type": "text/plain" } });
const dear = { amount: "0.300 HBD" };

describe("a wallet as an MCP server", () => {
  test("quotes, pays, and reports balance, budget and receipts", async () => {
    const url = await sell(report);
    const { call } = await openWallet().start();
    const before = await shop.balances();
    const quoted = await call("quote", { url });
    expect(quoted.value).toMatchObject({
      ...{ status: 402, refusal: null },
      offers: [{ amount: "0.050 HBD", payTo: "shop" }],
    });
    expect(await shop.balances()).toEqual(before);
    const paid = await call("pay", { url });
    expect(paid).toMatchObject({
      isError: false,
      value: { status: 200, contentType: "text/plain", encoding: "text", body: "All is well.", isCut: false },
    });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
    expect((await call("balance")).value).toEqual({
      account: "alice",
      balance: `${((before.alice - 50) / 1000).toFixed(3)} HBD`,
    });
    expect((await call("budget")).value).toMatchObject({ spentLastDay: "0.050 HBD", perDay: "5.000 HBD" });
    expect((await call("receipts")).value).toMatchObject({
      receipts: [
        { amount: "0.050 HBD", payTo: "shop", status: 200, txId: expect.stringMatching(/^[0-9a-f]{40}$/) },
      ],
    });
  });

  test("uses a posting key to open what its account has bought, and pays nothing", async () => {
    const url = await sell(report, { access: { for: "30d" }, nodes: shop.chain.urls });
    await (await openWallet().start()).call("pay", { url });
    const before = await shop.balances();
    const { write, start } = openWallet({ payUpTo: undefined });
    write("posting.key", `${wifOf("alice", "posting")}\n`);
    const { call } = await start();
    expect(await call("pay", { url })).toMatchObject({ isError: false, value: { body: "All is well." } });
    expect((await call("budget")).value).toMatchObject({ spentLastDay: "0.000 HBD" });
    expect(await shop.balances()).toEqual(before);
  });

  test("can read its posting key from the environment, and refuses a key file that others can read", async () => {
    const url = await sell(report, { access: { for: "30d" }, nodes: shop.chain.urls });
    await (await openWallet().start()).call("pay", { url });
    const { call } = await openWallet({ payUpTo: undefined }).start({
      HIVEGATE_POSTING_KEY: wifOf("alice", "posting"),
    });
    expect(await call("pay", { url })).toMatchObject({ isError: false });
    const shared = openWallet();
    shared.write("posting.key", wifOf("alice", "posting"), 0o644);
    const { status, stderr } = await shared.run();
    expect([status, stderr]).toEqual([1, expect.stringContaining("posting.key")]);
    expect(stderr).not.toContain(wifOf("alice", "posting"));
  });

  test("pays only what a trusted key signed, and stores the signed receipt", async () => {
    const signedOffers = { required: true, keys: { "127.0.0.1": [signingDid] } };
    const { call } = await openWallet({ signedOffers }).start();
    const before = await shop.balances();
    const unsigned = await call("pay", { url: await sell(report) });
    expect(unsigned).toMatchObject({ isError: true, value: { code: "offer_not_signed" } });
    expect(await shop.balances()).toEqual(before);
    expect(await call("pay", { url: await sell(report, { signing }) })).toMatchObject({ isError: false });
    await expect
      .poll(async () => (await call("receipts")).value)
      .toMatchObject({ receipts: [{ signedReceipt: expect.stringMatching(/^eyJ/) }] });
  });

  test("has no tool that changes a limit", async () => {
    const { client } = await openWallet().start();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(["balance", "budget", "pay", "quote", "receipts"]);
  });

  test("sends method, body and content type", async () => {
    const url = await sell(async (request) =>
      Response.json([request.method, request.headers.get("content-type"), await request.text()]),
    );
    const { call } = await openWallet().start();
    const { value } = await call("pay", { url, method: "POST", body: "x=1", contentType: "text/plain" });
    expect(JSON.parse(String(value.body))).toEqual(["POST", "text/plain", "x=1"]);
  });

  test("returns a free page as it is", async () => {
    const url = await serve(() => new Response("free"));
    const { call } = await openWallet().start();
    expect((await call("quote", { url })).value).toMatchObject({ status: 200, offers: [], refusal: null });
    expect((await call("pay", { url })).value).toMatchObject({ status: 200, body: "free" });
    expect((await call("receipts")).value).toEqual({ receipts: [] });
  });

  test("cuts long pages, and encodes binary ones in base64", async () => {
    const long = await serve(() => new Response("x".repeat(300_000)));
    const picture = await serve(
      () => new Response(Uint8Array.of(0, 255, 1), { headers: { "content-type": "image/png" } }),
    );
    const { call } = await openWallet().start();
    const { value } = await call("pay", { url: long });
    expect([String(value.body).length, value.isCut]).toEqual([100_000, true]);
    expect((await call("pay", { url: picture })).value).toMatchObject({ encoding: "base64", body: "AP8B" });
  });
});

describe("the owner's limits", () => {
  test("apply to hosts, payees, single payments and the day's sum", async () => {
    const url = await sell(report, dear);
    const cases: Array<[Record<string, unknown>, string]> = [
      [{ allowedHosts: ["shop.example"] }, "not_allowed"],
      [{ allowedPayees: ["bob"] }, "payee_not_allowed"],
      [{ maxPayment: "0.200 HBD", payUpTo: "0.200 HBD" }, "over_limit"],
      [{ perDay: "0.200 HBD", payUpTo: "1.000 HBD" }, "over_budget"],
    ];
    const before = await shop.balances();
    for (const [settings, code] of cases) {
      const { call } = await openWallet(settings).start();
      expect(await call("pay", { url })).toMatchObject({ isError: true, value: { code } });
    }
    expect(await shop.balances()).toEqual(before);
  });

  test("still hold for the same day after a restart", async () => {
    const url = await sell(report);
    const wallet = openWallet({ perDay: "0.080 HBD" });
    const first = await wallet.start();
    expect((await first.call("pay", { url })).value).toMatchObject({ status: 200 });
    await first.client.close();
    const second = await wallet.start();
    expect((await second.call("budget")).value).toMatchObject({ spentLastDay: "0.050 HBD" });
    expect((await second.call("pay", { url: `${url}/other` })).value).toMatchObject({
      ...{ code: "over_budget", left: "0.030 HBD" },
    });
    expect((await second.call("receipts")).value.receipts).toHaveLength(1);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "https://localhost.evil.example/",
    "https://user:password@127.0.0.1/",
    "file:///etc/passwd",
    "not an address",
  ])("let no request go to the URL %j", async (url) => {
    const { call } = await openWallet().start();
    for (const tool of ["quote", "pay"])
      expect(await call(tool, { url })).toMatchObject({ isError: true, value: { code: "not_allowed" } });
  });

  test("let no redirect lead to another host", async () => {
    let reached = 0;
    const inside = await serve(() => {
      reached++;
      return new Response("secret");
    });
    const url = await serve(() => new Response(null, { status: 302, headers: { location: inside } }));
    const { call } = await openWallet({ allowedHosts: [new URL(url).host] }).start();
    expect((await call("pay", { url })).value).toMatchObject({ status: 302, location: inside, body: "" });
    expect((await call("quote", { url })).value).toMatchObject({ status: 302 });
    expect(reached).toBe(0);
  });
});

describe("an approval", () => {
  test("allows a single payment for a single request", async () => {
    const url = await sell(report, dear);
    const wallet = openWallet();
    const { call } = await wallet.start();
    const before = await shop.balances();
    const waiting = await call("pay", { url });
    expect(waiting.value).toMatchObject({
      ...{
        code: "waiting_for_approval",
        state: "waiting",
        amount: "0.300 HBD",
        payTo: "shop",
        url: `${url}/`,
      },
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
    const { id } = waiting.value as { id: string };
    // A repeated request does not ask the owner twice.
    expect((await call("pay", { url })).value).toMatchObject({ id });
    expect((await wallet.run("approvals")).stdout).toContain(
      `${id}  0.300 HBD to shop for ${url}/ (waiting)`,
    );
    expect(await wallet.run("approve", id)).toMatchObject({ status: 0, stdout: expect.stringContaining(id) });
    for (const other of [{ url: `${url}/other` }, { url, method: "POST", body: "{}" }])
      expect((await call("pay", other)).value).toMatchObject({ code: "waiting_for_approval" });
    expect(await shop.balances()).toEqual(before);
    expect((await call("pay", { url })).value).toMatchObject({ status: 200, body: "All is well." });
    expect((await shop.balances()).alice).toBe(before.alice - 300);
    const again = await call("pay", { url });
    expect(again.value).toMatchObject({ code: "waiting_for_approval" });
    expect(again.value.id).not.toBe(id);
  });

  test("is required even for a small payment if the owner has set no payUpTo", async () => {
    const url = await sell(report);
    const { call } = await openWallet({ payUpTo: undefined }).start();
    expect((await call("pay", { url })).value).toMatchObject({ code: "waiting_for_approval" });
  });

  test("can't be granted after a rejection, and the next call asks for a new one", async () => {
    const url = await sell(report, dear);
    const wallet = openWallet();
    const { call } = await wallet.start();
    const { id } = (await call("pay", { url })).value as { id: string };
    expect((await wallet.run("reject", id)).status).toBe(0);
    expect((await wallet.run("approve", id)).status).toBe(1);
    expect((await call("pay", { url })).value.id).not.toBe(id);
  });

  test("is not requested for a price above the owner's limit", async () => {
    const wallet = openWallet({ maxPayment: "0.200 HBD" });
    const { call } = await wallet.start();
    expect((await call("pay", { url: await sell(report, dear) })).value).toMatchObject({
      code: "over_limit",
    });
    expect((await wallet.run("approvals")).stdout).toBe("Nothing waits for you.\n");
  });
});

describe("a wallet's key", () => {
  test("stays in its file, and out of answers, errors, logs and other files", async () => {
    const secret = wifOf("alice");
    const url = await sell(report, dear);
    const wallet = openWallet();
    const { call, stderr } = await wallet.start();
    const said = [
      await call("quote", { url }),
      await call("pay", { url }),
      await call("pay", { url: "http://127.0.0.1:1/" }),
      await call("pay", { url: "nonsense" }),
      ...(await Promise.all(["balance", "budget", "receipts"].map((name) => call(name)))),
    ];
    expect(JSON.stringify(said) + stderr()).not.toContain(secret);
    for (const name of readdirSync(wallet.folder).filter((one) => one !== "active.key"))
      expect(readFileSync(join(wallet.folder, name), "utf8")).not.toContain(secret);
  });

  test.each(["active.key", "records.json"])("is not used if others can read %s", async (name) => {
    const wallet = openWallet();
    if (name !== "active.key") wallet.write(name, "{}");
    chmodSync(join(wallet.folder, name), 0o640);
    if (name === "active.key") {
      const { status, stdout, stderr } = await wallet.run();
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toContain(`chmod 600 ${join(wallet.folder, name)}`);
      expect(stderr).not.toContain(wifOf("alice"));
    } else {
      const { call } = await wallet.start();
      const url = await sell(report);
      expect((await call("pay", { url })).isError).toBe(true);
    }
  });

  test("can come from the environment, and does not appear in the error if it is malformed", async () => {
    const url = await sell(report);
    const { call } = await openWallet({ account: "bob" }).start({ HIVEGATE_ACTIVE_KEY: wifOf("bob") });
    expect((await call("pay", { url })).value).toMatchObject({ status: 200 });
    const wallet = openWallet();
    wallet.write("active.key", "5Jsecretbutwrong");
    const { status, stderr } = await wallet.run();
    expect(status).toBe(1);
    expect(stderr).not.toContain("5Jsecret");
  });
});

describe("a wallet's files", () => {
  test("can be read only by their owner", async () => {
    const url = await sell(report);
    const wallet = openWallet();
    const { call } = await wallet.start();
    await call("pay", { url });
    await call("receipts");
    for (const name of ["records.json", "receipts.jsonl"])
      expect(statSync(join(wallet.folder, name)).mode & 0o777, name).toBe(0o600);
  });

  test.each([
    ["that others may change", JSON.stringify({ account: "alice", allowedHosts: ["a.example"] }), 0o622],
    ["that are not JSON", "{", 0o600],
    [
      "whose limit is misspelled",
      JSON.stringify({ account: "alice", allowedHosts: ["a.example"], perday: "1" }),
      0o600,
    ],
    ["that name no hosts", JSON.stringify({ account: "alice" }), 0o600],
  ])("are refused with settings %s", async (_name, text, mode) => {
    const wallet = openWallet();
    wallet.write("wallet.json", text);
    chmodSync(join(wallet.folder, "wallet.json"), mode);
    const { status, stdout, stderr } = await wallet.run();
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("wallet.json");
  });
});

test("a wallet that is killed during a payment does not pay twice", async () => {
  let answer: ((response: Response) => void) | undefined;
  let runs = 0;
  let reached: () => void = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const url = await sell(() => {
    runs++;
    if (runs > 1) return report();
    reached();
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const wallet = openWallet();
  const before = await shop.balances();
  const first = await wallet.start();
  const lost = first.call("pay", { url }).catch(() => "lost");
  await isReached;
  process.kill(first.pid, "SIGKILL");
  expect(await lost).toBe("lost");
  answer?.(report());
  const second = await wallet.start();
  expect((await second.call("pay", { url })).value).toMatchObject({ status: 200, body: "All is well." });
  expect((await shop.balances()).alice).toBe(before.alice - 50);
  expect((await second.call("budget")).value).toMatchObject({ spentLastDay: "0.050 HBD" });
});
