import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRequest, writeAnswer } from "../../../lib/approvals/approval-text.ts";
import { signText } from "../../../lib/hive/private-key.ts";
import { openShop } from "../../harness/open-shop.ts";
import { walletsOf } from "../../harness/open-wallet.ts";
import { soon } from "../../harness/soon.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell, serve } = await openShop();
const openWallet = walletsOf(shop);
const report = () => new Response("All is well.");
const dear = { amount: "0.300 HBD" };

let world: ChatWorld;
let owner: Person;
beforeAll(async () => {
  world = await startChatWorld();
  owner = await world.login("bob");
});
afterAll(() => world.close());

/** Opens alice's wallet, whose owner is bob. */
function open(settings: Record<string, unknown> = {}) {
  const wallet = openWallet({ chat: { url: world.gateway.url, owner: "bob" }, ...settings });
  wallet.write("posting.key", wifOf("alice", "posting"));
  return wallet;
}

/** Returns the owner's conversation with the wallet, oldest message first. */
async function conversation(): Promise<AnyBody[]> {
  const { body } = await owner.api("POST", "/direct", { username: "alice" });
  return (await owner.api("GET", `/channels/${body.channelId}/posts?per_page=100`)).body.posts;
}

/** Waits for the request of a waiting payment. */
const requestFor = (resource: string) =>
  soon(async () => {
    const found = (await conversation()).flatMap((post) => {
      const request = readRequest(post.message);
      return request?.terms.resource.startsWith(resource) ? [{ ...request, post }] : [];
    });
    expect(found).toHaveLength(1);
    return found[0] as (typeof found)[number];
  });

async function answer(post: AnyBody, text: string, account = "bob") {
  const signature = signText(text, wifOf(account, "posting")) ?? "";
  await owner.post(post.channel_id, writeAnswer("Yes.", { signature }), post.id);
}

describe("a wallet with a chat", () => {
  test("asks its owner there, pays once the owner has signed, and writes the receipt", async () => {
    const url = await sell(report, dear);
    const before = await shop.balances();
    const { call } = await open().start();
    const asked = await call("pay", { url, reason: "the weekly report" });
    expect(asked).toMatchObject({
      isError: false,
      value: { code: "waiting_for_approval", message: expect.stringContaining("in the chat") },
    });
    const { post, text, terms } = await requestFor(url);
    expect(terms).toMatchObject({
      ...{ agent: "alice", owner: "bob", amount: "0.300 HBD", payTo: "shop", reason: "the weekly report" },
    });
    await answer(post, text, "alice");
    await owner.post(post.channel_id, "yes, please", post.id);
    expect((await call("pay", { url })).value).toMatchObject({ code: "waiting_for_approval" });
    expect(await shop.balances()).toEqual(before);
    await answer(post, text);
    await soon(async () => expect((await requestFor(url)).state).toBe("approved"));
    expect((await call("pay", { url })).value).toMatchObject({ status: 200, body: "All is well." });
    expect((await requestFor(url)).state).toBe("paid");
    const { body } = await owner.api("GET", `/channels/${post.channel_id}/posts?thread=${post.id}`);
    expect(body.posts.at(-1).message).toMatch(
      /^Paid 0\.300 HBD to shop, transaction `[0-9a-f]{40}`\. Left of the budget: 4\.700 HBD\.$/,
    );
    expect((await shop.balances()).alice).toBe(before.alice - 300);
  });

  test("reads an answer that came while it was not running", async () => {
    const url = await sell(report, dear);
    const wallet = open();
    const first = await wallet.start();
    await first.call("pay", { url });
    const { post, text } = await requestFor(url);
    await first.client.close();
    await answer(post, text);
    const { call } = await wallet.start();
    await soon(async () => expect((await requestFor(url)).state).toBe("approved"));
    expect((await call("pay", { url })).value).toMatchObject({ status: 200 });
  });

  test("does not write another payment's receipt below a question whose outcome is unclear", async () => {
    const paid = await sell(report, dear);
    // Serves without a receipt.
    const silent: string = await serve(async ({ headers }) => {
      if (headers.has("x-payment")) return report();
      const offer = await (await fetch(paid)).text();
      return new Response(offer.replaceAll(new URL(paid).host, new URL(silent).host), { status: 402 });
    });
    const cheap = await sell(report, { amount: "0.010 HBD" });
    const { call } = await open().start();
    await call("pay", { url: silent });
    const { post, text } = await requestFor(silent);
    await answer(post, text);
    await soon(async () => expect((await requestFor(silent)).state).toBe("approved"));
    await call("pay", { url: silent });
    await soon(async () => expect((await requestFor(silent)).state).toBe("unclear"));
    expect((await call("pay", { url: cheap })).value).toMatchObject({ status: 200 });
    expect((await requestFor(silent)).state).toBe("unclear");
  });

  test("opens a question for ten minutes about a payment that waits for an hour without a chat", async () => {
    const url = await sell(report, dear);
    const wallet = open();
    const settings = readFileSync(join(wallet.folder, "wallet.json"), "utf8");
    const { chat: _chat, ...alone } = JSON.parse(settings);
    wallet.write("wallet.json", JSON.stringify(alone));
    const first = await wallet.start();
    await first.call("pay", { url });
    await first.client.close();
    wallet.write("wallet.json", settings);
    const { call } = await wallet.start();
    const askedAtMs = Date.now();
    await call("pay", { url });
    const { terms } = await requestFor(url);
    expect(Date.parse(terms.expiresAt)).toBeLessThan(askedAtMs + 1_800_000);
  });

  test("ends when its agent leaves, although the chat is open", async () => {
    const { client, pid } = await open().start();
    await client.listTools();
    await client.close();
    await soon(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  test("leaves the payment to the owner's command while the chat is unreachable", async () => {
    const url = await sell(report, dear);
    const wallet = open({ chat: { url: "http://127.0.0.1:9", owner: "bob" } });
    const { call } = await wallet.start();
    const { value } = await call("pay", { url });
    expect(value).toMatchObject({
      code: "waiting_for_approval",
      message: expect.stringContaining("approve"),
    });
    expect(await wallet.run("approve", String(value.id))).toMatchObject({ status: 0 });
    expect((await call("pay", { url })).value).toMatchObject({ status: 200 });
  });

  test.each([
    ["without a posting key", { url: "http://127.0.0.1:9", owner: "bob" }, "posting.key"],
    ["whose account would approve its own payments", { url: "http://127.0.0.1:9", owner: "alice" }, "owner"],
  ])("does not start %s", async (_name, chat, named) => {
    const wallet = openWallet({ chat });
    if (chat.owner === "alice") wallet.write("posting.key", wifOf("alice", "posting"));
    const { status, stderr } = await wallet.run();
    expect([status, stderr]).toEqual([1, expect.stringContaining(named)]);
  });
});
