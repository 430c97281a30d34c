import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { tellTip, tipNotes } from "../../../lib/demo-shop/tell-tip.ts";
import { recordTip } from "../../../lib/demo-shop/tips.ts";
import { toMils } from "../../../lib/mils.ts";
import { createPayingFetch, signPayment } from "../../../lib/x402/client/index.ts";
import { askPaid, offerOf } from "../../harness/ask-paid.ts";
import { balancesOf } from "../../harness/balances-of.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { wifOf } from "../../harness/start-shop.ts";

let world: ChatWorld;
let bob: Person;
let channelId: string;
let stop = () => {};
beforeAll(async () => {
  world = await startChatWorld({ settings: { X402_NETWORK: "chain:sandbox" } });
  bob = await world.login("bob");
  channelId = await world.makeChannel([bob]);
  produce();
});
const produce = () => {
  const blocks = setInterval(() => void world.chain.produceBlocks(), 150);
  stop = () => clearInterval(blocks);
};
afterAll(async () => {
  stop();
  await world.close();
});

const purse = () => ({
  account: "alice",
  activeKey: wifOf("alice"),
  nodes: [world.chain.url],
  chainId: world.chain.chainId,
});
const addressOf = (query: Record<string, string>) =>
  `${world.gateway.url}/api/demo/tips?${new URLSearchParams(query)}`;
const read = async (query: Record<string, string>) => readChecked("GET", await fetch(addressOf(query)));
const post = (url: string, pat?: string) =>
  fetch(url, { method: "POST", headers: pat === undefined ? {} : { authorization: `Bearer ${pat}` } });
// The gateway has no public address here, and calls itself localhost.
const payer = () => createPayingFetch({ ...purse(), allowedResourceHosts: ["localhost"] });
const asBob = () => ({ method: "POST", headers: { authorization: `Bearer ${bob.pat}` } });
const drawTxId = () => randomBytes(20).toString("hex");
const unknownId = "z".repeat(26);

describe("/api/demo/tips", () => {
  test("pays the message's author and counts the tip once", async () => {
    const { id } = await bob.post(channelId, "good work");
    const before = await balancesOf(world.chain);
    const address = addressOf({ to: "bob", amount: "0.010", post: id });
    const offer = await offerOf(await post(address, bob.pat));
    expect(offer).toMatchObject({ payTo: "bob", maxAmountRequired: "0.010 HBD" });
    const payment = await signPayment({ ...purse(), requirements: offer });
    const response = await askPaid(address, payment, asBob());
    expect(await readChecked("POST", response)).toMatchObject({
      post: id,
      to: "bob",
      amount: "0.010 HBD",
      payer: "alice",
      count: 1,
      total: "0.010 HBD",
    });
    expect((await askPaid(address, payment, asBob())).status).toBe(402);
    expect(await read({ post: id })).toEqual({
      count: 1,
      total: "0.010 HBD",
      tippers: [{ payer: "alice", amount: "0.010 HBD" }],
    });
    const after = await balancesOf(world.chain);
    expect([before.alice - after.alice, after.bob - before.bob]).toEqual([10, 10]);
  });

  test("notifies the recipient in the caller's name, once even if the tip is delivered again", async () => {
    const author = await world.newcomer();
    const room = await world.makeChannel([bob, author]);
    const { id } = await author.post(room, "worth something");
    const query = { to: author.name, amount: "0.010" };
    const link = `${world.gateway.services.config.publicUrl}/chat/${room}?post=${id}`;
    const direct = (await author.api("POST", "/direct", { username: "bob" })).body;
    const notes = async () => {
      const { body } = await author.api("GET", `/channels/${direct.channelId}/posts`);
      return body.posts.map(({ message, user_id }: { message: string; user_id: string }) => [
        message,
        user_id,
      ]);
    };
    const pay = payer();
    const tip = await pay(addressOf({ ...query, post: id }), asBob());
    const { txId, isTold } = await tip.json();
    expect([tip.status, isTold]).toEqual([200, true]);
    const ofPost = [tipNotes.en("0.010 HBD", "alice", link), bob.id];
    expect(await notes()).toEqual([ofPost]);
    const given = { to: author.name, amount: "0.010 HBD", payer: "alice", txId, post: id };
    const again = new Request(addressOf(query), asBob());
    expect(await tellTip(world.gateway.services, again, given)).toBe(true);
    const asPerson = await pay(addressOf(query), asBob());
    expect((await asPerson.json()).isTold).toBe(true);
    for (const silent of [
      await pay(addressOf({ ...query, note: "none" }), asBob()),
      await pay(addressOf(query), { method: "POST" }),
    ])
      expect(await silent.json()).not.toHaveProperty("isTold");
    expect(await notes()).toEqual([ofPost, [tipNotes.en("0.010 HBD", "alice", null), bob.id]]);
  });

  test("notifies once even if the gateway died before or after it sent the note", async () => {
    const author = await world.newcomer();
    const direct = (await author.api("POST", "/direct", { username: "bob" })).body;
    const notes = async () => {
      const { body } = await author.api("GET", `/channels/${direct.channelId}/posts`);
      return body.posts.map(({ message }: { message: string }) => message);
    };
    const { services } = world.gateway;
    const [first, second, third] = [drawTxId(), drawTxId(), drawTxId()];
    const tellAgain = (txId: string) =>
      tellTip(services, new Request(addressOf({ to: author.name, amount: "0.010" }), asBob()), {
        ...{ to: author.name, amount: "0.010 HBD", payer: "alice", txId },
      });
    const note = tipNotes.en("0.010 HBD", "alice", null);
    /** Fails every write of a tip's notice from the nth on, as if the process had been killed. */
    const dieAt = async (txId: string, nth: number) => {
      let writes = 0;
      const { set } = services.store;
      const spy = vi.spyOn(services.store, "set").mockImplementation((key, ...given) => {
        if (key.startsWith("demo:tip-told:") && ++writes >= nth) throw new Error("killed");
        return set(key, ...given);
      });
      const isTold = await tellAgain(txId);
      spy.mockRestore();
      expect(isTold).toBe(false);
    };
    await dieAt(first, 2);
    expect(await notes()).toEqual([note]);
    expect(await tellAgain(first)).toBe(true);
    expect(await notes()).toEqual([note]);
    expect(await tellAgain(first)).toBe(true);
    expect(await notes()).toEqual([note]);
    await services.store.set(`demo:tip-told:${second}`, `begun ${Date.now() + 60_000}`);
    expect(await tellAgain(second)).toBe(true);
    expect(await notes()).toEqual([note, note]);
    expect(await Promise.all([1, 2, 3].map(() => tellAgain(third)))).toEqual([true, true, true]);
    expect(await notes()).toEqual([note, note, note]);
  });

  test("finishes a settled tip even after the message and the sign-in are gone", async () => {
    const { id } = await bob.post(channelId, "soon gone");
    const address = addressOf({ to: "bob", amount: "0.010", post: id });
    const payment = await signPayment({
      ...purse(),
      requirements: await offerOf(await post(address, bob.pat)),
    });
    const send = (headers: Record<string, string>) =>
      fetch(address, { method: "POST", headers: { ...headers, "x-payment": payment } });
    expect((await send({})).status).toBe(401);
    stop();
    const pending = await send(asBob().headers);
    produce();
    expect([pending.status, await pending.json()]).toMatchObject([503, { code: "settlement_pending" }]);
    expect((await bob.api("DELETE", `/channels/${channelId}/posts/${id}`)).status).toBe(200);
    const response = await askPaid(address, payment, { method: "POST" });
    expect(await readChecked("POST", response)).toMatchObject({ post: id, payer: "alice", count: 1 });
    expect((await post(address, bob.pat)).status).toBe(404);
  });

  test("refuses a payment for a different amount, person or message", async () => {
    const { id } = await bob.post(channelId, "one");
    const { id: other } = await bob.post(channelId, "other");
    const offer = await offerOf(await post(addressOf({ to: "bob", amount: "0.010", post: id }), bob.pat));
    const payment = await signPayment({ ...purse(), requirements: offer });
    const others: Record<string, string>[] = [
      { to: "bob", amount: "0.100", post: id },
      { to: "bob", amount: "0.010", post: other },
      { to: "carol", amount: "0.010" },
    ];
    for (const query of others) expect((await askPaid(addressOf(query), payment, asBob())).status).toBe(402);
    expect(await read({ posts: `${id},${other}` })).toEqual({ tips: {} });
  });

  test("pays the author's account even if the author has another account's name in the chat", async () => {
    const [author, other] = [await world.newcomer(), await world.newcomer()];
    const room = await world.makeChannel([bob, author]);
    const { id } = await author.post(room, "send it to them");
    expect((await other.api("POST", "/logout")).status).toBe(200);
    await world.admin("PUT", `/users/${other.id}/patch`, { username: `${other.name}x` });
    expect((await author.mattermost("PUT", "/users/me/patch", { username: other.name })).status).toBe(200);
    const toOther = await post(addressOf({ to: other.name, amount: "0.010", post: id }), bob.pat);
    expect([toOther.status, await toOther.json()]).toMatchObject([400, { code: "invalid_request" }]);
    const toAuthor = await post(addressOf({ to: author.name, amount: "0.010", post: id }), bob.pat);
    expect(await offerOf(toAuthor)).toMatchObject({ payTo: author.name });
  });

  test("returns the tips of several messages at once, and omits those without tips", async () => {
    const [{ id: one }, { id: two }] = [await bob.post(channelId, "1"), await bob.post(channelId, "2")];
    const pay = payer();
    for (const amount of ["0.010", "0.050"])
      expect((await pay(addressOf({ to: "bob", amount, post: one }), asBob())).status).toBe(200);
    expect(await read({ posts: `${one},${two}` })).toEqual({
      tips: {
        [one]: {
          count: 2,
          total: "0.060 HBD",
          tippers: [
            { payer: "alice", amount: "0.050 HBD" },
            { payer: "alice", amount: "0.010 HBD" },
          ],
        },
      },
    });
    expect(await read({ post: two })).toEqual({ count: 0, total: "0.000 HBD", tippers: [] });
  });

  test("accepts a tip to a person, without a message", async () => {
    const pay = payer();
    const response = await pay(addressOf({ to: "carol", amount: "0.010" }), { method: "POST" });
    expect(await readChecked("POST", response)).toMatchObject({
      to: "carol",
      amount: "0.010 HBD",
      payer: "alice",
    });
  });

  test("refuses another author's or an unknown message before asking for payment", async () => {
    const { id } = await bob.post(channelId, "mine");
    const wrong = await post(addressOf({ to: "carol", amount: "0.010", post: id }), bob.pat);
    expect([wrong.status, wrong.headers.has("x-payment")]).toEqual([400, false]);
    const unknown = await post(addressOf({ to: "bob", amount: "0.010", post: unknownId }), bob.pat);
    expect(unknown.status).toBe(404);
  });

  test("hides a message's author and existence from users who can't read it", async () => {
    const carol = await world.login("carol");
    const secret = await world.makeChannel([bob], { type: "P" });
    const { id } = await bob.post(secret, "between us");
    const ask = async (query: Record<string, string>, pat?: string) => {
      const response = await post(addressOf({ amount: "0.010", ...query }), pat);
      const { error, code, issues, accepts } = await response.json();
      return [response.status, response.headers.has("x-payment"), error, code, issues, accepts];
    };
    for (const pat of [carol.pat, undefined]) {
      const absent = await ask({ to: "bob", post: unknownId }, pat);
      expect(absent[0]).toBe(pat === undefined ? 401 : 404);
      for (const to of ["bob", "carol", "erin"]) expect(await ask({ to, post: id }, pat)).toEqual(absent);
    }
    expect((await ask({ to: "bob", post: id }, bob.pat))[0]).toBe(402);
    expect((await ask({ to: "carol", post: id }, bob.pat))[0]).toBe(400);
  });

  test("refuses another site's request with the reader's cookie", async () => {
    const { id } = await bob.post(channelId, "mine");
    const ask = (site: string) =>
      fetch(addressOf({ to: "bob", amount: "0.010", post: id }), {
        method: "POST",
        headers: { cookie: `chat_pat=${bob.pat}`, "sec-fetch-site": site },
      });
    expect((await ask("cross-site")).status).toBe(403);
    expect((await ask("same-origin")).status).toBe(402);
  });

  test.each([
    { to: "bob", amount: "0.01" },
    { to: "bob", amount: "0.000" },
    { to: "bob", amount: "100.001" },
    { to: "Bob!", amount: "0.010" },
    { to: "bob", amount: "0.010", post: "x" },
    { amount: "0.010" },
  ])("returns 400 for the malformed tip %o", async (query) => {
    expect((await post(addressOf(query as Record<string, string>))).status).toBe(400);
  });

  test.each(["", "post=x", "posts=", `posts=${"x".repeat(26)},`, `post=${unknownId}&posts=${unknownId}`])(
    "returns 400 for the malformed query %o",
    async (query) => {
      expect((await fetch(`${world.gateway.url}/api/demo/tips?${query}`)).status).toBe(400);
    },
  );
});

test("a tip reported twice counts once, and no tip is lost when many arrive together", async () => {
  const { store } = world.gateway.services;
  const id = "a".repeat(26);
  const tips = Array.from({ length: 12 }, (_, index) => ({
    txId: `tx${index % 6}`,
    payer: "alice",
    mils: toMils(5),
  }));
  await Promise.all(tips.map((tip) => recordTip(store, id, tip)));
  expect(await read({ post: id })).toMatchObject({ count: 6, total: "0.030 HBD" });
});

test("a tip reported again after hundreds of others counts once", async () => {
  const { store } = world.gateway.services;
  const id = "b".repeat(26);
  const tell = (txId: string) => recordTip(store, id, { txId, payer: "alice", mils: toMils(1) });
  for (let index = 0; index < 203; index++) await tell(`tx${index}`);
  for (const txId of ["tx0", "tx2", "tx3", "tx202"]) await tell(txId);
  expect(await read({ post: id })).toMatchObject({ count: 203, total: "0.203 HBD" });
});

test("the latest twenty tippers are listed, newest first", async () => {
  const { store } = world.gateway.services;
  const id = "c".repeat(26);
  for (let index = 1; index <= 25; index++)
    await recordTip(store, id, { txId: `tx${index}`, payer: `payer-${index}`, mils: toMils(index) });
  const { tippers } = await read({ post: id });
  expect(tippers).toHaveLength(20);
  expect([tippers[0], tippers.at(-1)]).toEqual([
    { payer: "payer-25", amount: "0.025 HBD" },
    { payer: "payer-6", amount: "0.006 HBD" },
  ]);
});

test("tips recorded without tippers by an earlier version still count", async () => {
  const { store } = world.gateway.services;
  const id = "d".repeat(26);
  await store.set(`demo:tips:${id}`, JSON.stringify({ count: 1, millis: 10, known: ["old"] }));
  expect(await read({ post: id })).toEqual({ count: 1, total: "0.010 HBD", tippers: [] });
  await recordTip(store, id, { txId: "new", payer: "alice", mils: toMils(5) });
  expect(await read({ post: id })).toEqual({
    count: 2,
    total: "0.015 HBD",
    tippers: [{ payer: "alice", amount: "0.005 HBD" }],
  });
});
