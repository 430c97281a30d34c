import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type ApprovalRequest, readRequest, writeAnswer } from "../../../lib/approvals/approval-text.ts";
import { type AskingFetch, createAskingFetch } from "../../../lib/approvals/index.ts";
import { type ChatClient, createChatClient, type Fetch } from "../../../lib/chat-client/index.ts";
import { signText } from "../../../lib/hive/private-key.ts";
import type { BudgetStore, PayingFetchOptions } from "../../../lib/x402/client/index.ts";
import { encodeBase64Json } from "../../../lib/x402/header.ts";
import { createMemoryStore } from "../../../lib/x402/memory-store.ts";
import { holdTime, holdTimers } from "../../harness/hold-time.ts";
import { echo, openShop } from "../../harness/open-shop.ts";
import { soon } from "../../harness/soon.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { startAskingProcess } from "../../harness/start-paying-process.ts";
import { startScriptedNode } from "../../harness/start-scripted-node.ts";
import { wifOf } from "../../harness/start-shop.ts";
import { unique } from "../../harness/unique.ts";

// Each block is a second of chain time, which must not pass much faster than a busy machine works.
const { shop, sell, serve } = await openShop({ extraNodes: 2, blockIntervalMs: 500 });

const AGENT = "carol";
const OWNER = "alice";

let world: ChatWorld;
let agent: Person;
let owner: Person;
let stranger: Person;
let channelId: string;
let rootId: string;
const chats: ChatClient[] = [];
const asking: AskingFetch[] = [];

beforeAll(async () => {
  world = await startChatWorld();
  agent = await world.login(AGENT);
  owner = await world.login(OWNER);
  stranger = await world.login("bob");
  channelId = await world.makeChannel([agent, owner, stranger]);
});
afterAll(() => world.close());
beforeEach(async () => {
  rootId = (await stranger.post(channelId, "@carol read the report, please")).id;
});
afterEach(() => {
  for (const ask of asking.splice(0)) ask.close();
  for (const chat of chats.splice(0)) chat.disconnect();
});

type OpenOptions = Partial<PayingFetchOptions> & { owner?: string; payUpTo?: string; store?: BudgetStore };

/** Starts the agent, which asks for every payment. `fetchChat` carries its calls to the chat. */
function open(options: OpenOptions = {}, fetchChat: Fetch = fetch) {
  const { store = createMemoryStore(), ...rest } = options;
  const { url: baseUrl } = world.gateway;
  const chat = createChatClient({ baseUrl, token: agent.pat, WebSocket, fetch: fetchChat });
  const ask = createAskingFetch({
    ...shop.purse(AGENT),
    ...{ chat, owner: OWNER, budget: { perDay: "0.500 HBD", store } },
    ...rest,
  } as Parameters<typeof createAskingFetch>[0]);
  chat.connect();
  chats.push(chat);
  asking.push(ask);
  return ask;
}

const question = (reason?: string) => ({ channelId, rootId, ...(reason && { reason }) });

const thread = async (): Promise<AnyBody[]> => {
  const { body } = await owner.api("GET", `/channels/${channelId}/posts?thread=${rootId}`);
  return body.posts;
};
const requests = async (): Promise<Array<ApprovalRequest & { by: string }>> =>
  (await thread()).flatMap(({ message, user_id }) => {
    const request = readRequest(message);
    return request ? [{ ...request, by: user_id }] : [];
  });
/** Waits for the latest request of the thread, in a state. */
const requestIn = (state: ApprovalRequest["state"]) =>
  soon(async () => {
    const latest = (await requests()).at(-1);
    expect(latest?.state).toBe(state);
    return latest as ApprovalRequest & { by: string };
  });
const sign = (text: string, account = OWNER, role: "posting" | "active" = "posting") =>
  writeAnswer("I approve.", { signature: signText(text, wifOf(account, role)) ?? "" });
const reply = (person: Person, message: string) => person.post(channelId, message, rootId);
/** Reads an account from the shop's chain. */
const findAccount = async (name: string): Promise<AnyBody> => {
  const params = { accounts: [name], delayed_votes_active: true };
  const found = await shop.chain.call("database_api.find_accounts", params);
  return (found as { accounts: AnyBody[] }).accounts[0];
};
const spentBy = async (before: Awaited<ReturnType<typeof shop.balances>>) =>
  before[AGENT] - (await shop.balances())[AGENT];

/** Asks for a payment, runs `act` before the owner refuses it, and expects that nothing is paid. */
async function expectNothingPaid(
  act: (request: ApprovalRequest) => Promise<unknown>,
  options: Parameters<typeof open>[0] = {},
): Promise<void> {
  const url = await sell(echo);
  const before = await shop.balances();
  const answer = open(options)(url, {}, question());
  const failure = expect(answer).rejects.toMatchObject({ code: "not_approved" });
  const request = await requestIn("waiting");
  await act(request);
  // Answers are read in order, so the refusal comes after the others were judged.
  await reply(owner, writeAnswer("No.", { refuses: request.terms.id }));
  await failure;
  expect(await spentBy(before)).toBe(0);
}

describe("a request for money in the chat", () => {
  test("is a message in the thread that the owner's signature approves, and the receipt comes back", async () => {
    const url = await sell(echo);
    const before = await shop.balances();
    const answer = open()(`${url}/report?token=secret`, {}, question("for @bob"));
    const { terms, by } = await requestIn("waiting");
    expect(by).toBe(agent.id);
    expect(terms).toMatchObject({
      ...{ agent: AGENT, owner: OWNER, amount: "0.050 HBD", payTo: "shop", resource: `${url}/report` },
      ...{ chat: world.gateway.url, reason: "for @bob" },
    });
    expect(JSON.stringify(await thread())).not.toContain("secret");
    expect(await spentBy(before)).toBe(0);
    await reply(owner, sign((await requestIn("waiting")).text));
    const response = await answer;
    const { txId } = await response.json();
    await requestIn("paid");
    expect((await thread()).at(-1)).toMatchObject({
      user_id: agent.id,
      message: `Paid 0.050 HBD to shop, transaction \`${txId}\`. Left of the budget: 0.450 HBD.`,
    });
    expect(await spentBy(before)).toBe(50);
  });

  test("is approved by a signature from any program, in the owner's message", async () => {
    const url = await sell(echo);
    const answer = open()(url, {}, question());
    const { text } = await requestIn("waiting");
    await reply(owner, `from my phone: ${signText(text, wifOf(OWNER, "posting"))}`);
    expect((await answer).status).toBe(200);
  });

  test("is not written for what costs no more than the free limit", async () => {
    const url = await sell(echo);
    expect((await open({ payUpTo: "0.050 HBD" })(url, {}, question())).status).toBe(200);
    expect(await requests()).toEqual([]);
  });

  test("ends without a payment when the owner refuses, and no one else can refuse", async () => {
    const url = await sell(echo);
    const before = await shop.balances();
    const answer = open()(url, {}, question());
    const failure = expect(answer).rejects.toMatchObject({
      ...{ code: "not_approved", message: "The owner has refused the payment." },
      ...{ offer: { amount: "0.050 HBD", payTo: "shop" }, left: "0.500 HBD" },
    });
    const { terms } = await requestIn("waiting");
    await reply(stranger, writeAnswer("No.", { refuses: terms.id }));
    await reply(owner, writeAnswer("No.", { refuses: "0".repeat(32) }));
    await reply(owner, "hello");
    expect((await requestIn("waiting")).terms.id).toBe(terms.id);
    await reply(owner, writeAnswer("No.", { refuses: terms.id }));
    await failure;
    await requestIn("refused");
    expect(await spentBy(before)).toBe(0);
  });

  test("ends after ten minutes, and a later signature pays nothing", async () => {
    const time = holdTime();
    const timers = holdTimers(600_000);
    try {
      const url = await sell(echo);
      const before = await shop.balances();
      const answer = open()(url, {}, question());
      const failure = expect(answer).rejects.toMatchObject({
        message: "The owner has not approved the payment within ten minutes.",
      });
      const { text, terms } = await requestIn("waiting");
      expect(Date.parse(terms.expiresAt) - Date.now()).toBe(600_000);
      time.pass(600_000);
      await reply(owner, sign(text));
      timers.end();
      await failure;
      await requestIn("expired");
      expect(await spentBy(before)).toBe(0);
    } finally {
      timers.release();
      time.release();
    }
  });
});

describe("the receipt in the thread", () => {
  const claim = { "x-payment-response": encodeBase64Json({ success: true, txId: "ab".repeat(20) }) };
  const hosts = { allowedResourceHosts: ["127.0.0.1"] };

  test("names the payment's own transaction when the seller claims another", async () => {
    const paid = await sell(echo);
    const url = await serve(async ({ headers }) => {
      const payment = headers.get("x-payment");
      if (payment === null) return fetch(paid);
      const answer = await fetch(paid, { headers: { "x-payment": payment } });
      return Response.json(await answer.json(), { headers: claim });
    });
    const answer = open(hosts)(url, {}, question());
    await reply(owner, sign((await requestIn("waiting")).text));
    const { txId } = await (await answer).json();
    await requestIn("paid");
    expect((await thread()).at(-1).message).toContain(`transaction \`${txId}\``);
  });

  test("says that only the seller claims a payment which is in no block", async () => {
    const paid = await sell(echo);
    const before = await shop.balances();
    const url = await serve(async ({ headers }) =>
      headers.has("x-payment") ? new Response("content", { headers: claim }) : fetch(paid),
    );
    const answer = open(hosts)(url, {}, question());
    await reply(owner, sign((await requestIn("waiting")).text));
    expect(await (await answer).text()).toBe("content");
    await requestIn("unclear");
    expect((await thread()).at(-1)).toMatchObject({
      user_id: agent.id,
      message:
        "The seller says that 0.050 HBD to shop was paid; the chain does not. Left of the budget: 0.450 HBD.",
    });
    expect(await spentBy(before)).toBe(0);
  });
});

describe("a question in a busy thread", () => {
  test("is approved by an answer below a hundred other messages, read after a restart", async () => {
    const url = await sell(echo);
    const store = createMemoryStore();
    const first = open({ store });
    const stopped = expect(first(url, {}, question())).rejects.toThrow();
    const { text } = await requestIn("waiting");
    first.close();
    await stopped;
    for (let index = 0; index < 101; index++) await reply(stranger, `message ${index}`);
    await reply(owner, sign(text));
    expect((await open({ store })(url, {}, question())).status).toBe(200);
  });
});

describe("while the store is unavailable", () => {
  /** Creates a store whose list of approvals can be made unavailable. */
  function createFailingStore() {
    const store = createMemoryStore();
    let isDown = false;
    let failures = 0;
    const get: BudgetStore["get"] = async (key) => {
      if (!isDown || !key.startsWith("x402:asked:")) return store.get(key);
      failures += 1;
      throw new Error("unavailable");
    };
    return {
      store: { ...store, get },
      failures: () => failures,
      setDown(value: boolean) {
        isDown = value;
      },
    };
  }

  test("the owner's answer is kept, and read once the store is back", async () => {
    const url = await sell(echo);
    const { store, failures, setDown } = createFailingStore();
    const answer = open({ store })(url, {}, question());
    const { text } = await requestIn("waiting");
    setDown(true);
    await reply(owner, sign(text));
    await soon(() => expect(failures()).toBeGreaterThan(0));
    setDown(false);
    expect((await answer).status).toBe(200);
  });

  test("the end of a question is kept, and reported once the store is back", async () => {
    const time = holdTime();
    const timers = holdTimers(600_000);
    try {
      const url = await sell(echo);
      const { store, failures, setDown } = createFailingStore();
      const answer = open({ store })(url, {}, question());
      const failure = expect(answer).rejects.toMatchObject({
        message: "The owner has not approved the payment within ten minutes.",
      });
      await requestIn("waiting");
      setDown(true);
      time.pass(600_000);
      timers.end();
      await soon(() => expect(failures()).toBeGreaterThan(0));
      setDown(false);
      await failure;
      await requestIn("expired");
    } finally {
      timers.release();
      time.release();
    }
  });
});

describe("a question below which strangers write answers", () => {
  const junk = "f".repeat(130);

  test("is approved by the owner's answer behind more of them than are read at once", async () => {
    const url = await sell(echo);
    const store = createMemoryStore();
    const first = open({ store });
    const stopped = expect(first(url, {}, question())).rejects.toThrow();
    const { text, terms } = await requestIn("waiting");
    first.close();
    await stopped;
    for (let index = 0; index < 101; index++) await reply(stranger, junk);
    await reply(owner, sign(text));
    expect((await open({ store })(url, {}, question())).status).toBe(200);
    expect((await requests()).map((request) => request.terms.id)).toEqual([terms.id]);
  });

  test("costs no check of them, and no approval by the owner's own signature", async () => {
    const node = await startScriptedNode(shop.chain.chainId, async ({ method, params }) => ({
      result: await shop.chain.call(method, params),
    }));
    try {
      await expectNothingPaid(
        async ({ text }) => {
          world.proxy.forget();
          await reply(stranger, sign(text));
          for (let index = 0; index < 10; index++) await reply(stranger, sign(text, "bob"));
        },
        { nodes: [node.url] },
      );
      expect(node.calls.filter(({ method }) => method === "database_api.find_accounts")).toEqual([]);
      expect(world.proxy.calls().filter((call) => /users\/(search|autocomplete)/.test(call))).toEqual([]);
    } finally {
      await node.close();
    }
  });

  test("is approved by an owner who first enters the chat after it was asked", async () => {
    const url = await sell(echo);
    const name = unique("o");
    await world.chain.setAccount({ name });
    await shop.chain.setAccount({ name, posting: (await findAccount(OWNER)).posting });
    const answer = open({ owner: name })(url, {}, question());
    const { text } = await requestIn("waiting");
    await reply(stranger, junk);
    const late = await world.login(name);
    await world.admin("POST", `/channels/${channelId}/members`, { user_id: late.id });
    await reply(late, sign(text));
    expect((await answer).status).toBe(200);
  });
});

test("a question in a channel is answered below its first copy if the answer to its writing was lost", async () => {
  const room = await world.makeChannel([agent, owner]);
  const url = await sell(echo);
  const before = await shop.balances();
  let isLost = false;
  const ask = open({}, async (address, init) => {
    const response = await fetch(address, init);
    if (isLost || init?.method !== "POST" || !address.endsWith("/posts")) return response;
    isLost = true;
    throw new TypeError("the answer is lost");
  });
  await expect(ask(url, {}, { channelId: room })).rejects.toMatchObject({ code: "offline" });
  const answer = ask(url, {}, { channelId: room });
  const copies = await soon(async () => {
    const { body } = await owner.api("GET", `/channels/${room}/posts`);
    const found = (body.posts as AnyBody[]).filter(({ message }) => readRequest(message));
    expect(found).toHaveLength(2);
    return found;
  });
  const [first] = copies;
  await owner.post(room, sign(readRequest(first?.message)?.text ?? ""), first?.id);
  expect((await answer).status).toBe(200);
  expect(await spentBy(before)).toBe(50);
});

describe("a question that two processes of an agent wait for", () => {
  test("stays paid when its time ends in the process that did not pay", async () => {
    const time = holdTime();
    const timers = holdTimers(600_000);
    try {
      const url = await sell(echo);
      const store = createMemoryStore();
      const answer = open({ store })(url, {}, question());
      const { text, terms } = await requestIn("waiting");
      const other = open({ store });
      await soon(() => expect(timers.count()).toBe(2));
      await reply(owner, sign(text));
      expect((await answer).status).toBe(200);
      await requestIn("paid");
      time.pass(600_000);
      timers.end();
      const next = other(`${url}/next`, {}, question());
      const failure = expect(next).rejects.toMatchObject({ message: "The owner has refused the payment." });
      const second = await requestIn("waiting");
      await reply(owner, writeAnswer("No.", { refuses: second.terms.id }));
      await failure;
      expect((await requests()).find((one) => one.terms.id === terms.id)?.state).toBe("paid");
    } finally {
      timers.release();
      time.release();
    }
  });

  test("ends as refused in both when the owner refuses", async () => {
    const time = holdTime();
    const timers = holdTimers(600_000);
    try {
      const url = await sell(echo);
      const store = createMemoryStore();
      const answers = [open({ store })(url, {}, question())];
      const { terms } = await requestIn("waiting");
      answers.push(open({ store })(url, {}, question()));
      const failures = answers.map((answer) =>
        expect(answer).rejects.toMatchObject({ message: "The owner has refused the payment." }),
      );
      await soon(() => expect(timers.count()).toBe(2));
      await reply(owner, writeAnswer("No.", { refuses: terms.id }));
      await Promise.all(failures);
      expect(await requests()).toHaveLength(1);
    } finally {
      timers.release();
      time.release();
    }
  });

  test("is paid once when the owner approves, and a second payment is asked for anew", async () => {
    const url = await sell(echo);
    const before = await shop.balances();
    const store = createMemoryStore();
    const first = open({ store })(url, {}, question());
    const { text } = await requestIn("waiting");
    const second = open({ store })(url, {}, question());
    let outcomes: Array<PromiseSettledResult<Response>> = [];
    void Promise.allSettled([first, second]).then((all) => {
      outcomes = all;
    });
    await reply(owner, sign(text));
    const refused = new Set<string>();
    await soon(async () => {
      for (const { state, terms, text: other } of await requests()) {
        if (state !== "waiting" || other === text || refused.has(terms.id)) continue;
        refused.add(terms.id);
        await reply(owner, writeAnswer("No.", { refuses: terms.id }));
      }
      expect(outcomes).toHaveLength(2);
    });
    const failed = outcomes.filter(({ status }) => status === "rejected");
    expect(failed).toHaveLength(refused.size);
    for (const failure of failed)
      expect(failure).toMatchObject({ reason: { message: "The owner has refused the payment." } });
    expect((await requests()).map(({ state }) => state)).toEqual(["paid", ...failed.map(() => "refused")]);
    expect(await spentBy(before)).toBe(50);
  });
});

describe("nothing is paid by", () => {
  /** Changes one line of a text. */
  const change = (text: string, label: string, value: string) => {
    const changed = text.replace(new RegExp(`^${label}: .*$`, "m"), `${label}: ${value}`);
    expect(changed).not.toBe(text);
    return changed;
  };

  test.each<[string, (text: string) => string]>([
    ["a message alone", (text) => `I approve this.\n\n${text}`],
    ["a stranger's signature", (text) => sign(text, "bob")],
    ["the agent's own signature", (text) => sign(text, AGENT)],
    ["the owner's active key", (text) => sign(text, OWNER, "active")],
    ["a signature of another amount", (text) => sign(change(text, "Amount", "0.001 HBD"))],
    ["a signature of another payee", (text) => sign(change(text, "Payee", "bob"))],
    ["a signature of another resource", (text) => sign(change(text, "Resource", "https://shop.example/"))],
    ["a signature of another request", (text) => sign(change(text, "Hash", "0".repeat(64)))],
    ["a signature of another agent", (text) => sign(change(text, "Agent", "bob"))],
    ["a signature of another chat", (text) => sign(change(text, "Chat", "https://chat.example"))],
    ["a signature of a later end", (text) => sign(change(text, "Expires", "2099-01-01T00:00:00.000Z"))],
    ["a signature of a text without its purpose", (text) => sign(text.split("\n").slice(1).join("\n"))],
    [
      "a signature with a changed digit",
      (text) => sign(text).replace(/([0-9a-f])\n```$/, (_all, digit) => `${digit === "0" ? 1 : 0}\n\`\`\``),
    ],
  ])("%s", (_name, forge) => expectNothingPaid(({ text }) => reply(owner, forge(text))));

  test("a request that another member forged, even if the owner signs it", () =>
    expectNothingPaid(async ({ text }) => {
      const forged = change(change(text, "Payee", "bob"), "Request", "f".repeat(32));
      await reply(stranger, `\`\`\`hivegate-approval waiting\n${forged}\n\`\`\``);
      await reply(owner, sign(forged));
    }));

  test("a signature that was used before, or in another thread", async () => {
    const url = await sell(echo);
    const ask = open();
    const before = await shop.balances();
    const first = ask(url, {}, question());
    const { text } = await requestIn("waiting");
    // Both devices of the owner approve.
    await reply(owner, sign(text));
    await reply(owner, sign(text));
    await (await first).text();
    await requestIn("paid");
    const again = ask(url, {}, question());
    const failure = expect(again).rejects.toMatchObject({ code: "not_approved" });
    const { terms } = await requestIn("waiting");
    expect(text).not.toContain(terms.id);
    await reply(owner, sign(text));
    await reply(owner, writeAnswer("No.", { refuses: terms.id }));
    await failure;
    expect(await spentBy(before)).toBe(50);
  });

  test("an approval whose price rose before the payment", async () => {
    let amount = "0.050 HBD";
    const price: Partial<Parameters<typeof sell>[1]> = { amount: () => amount };
    const url = await sell(echo, price);
    const before = await shop.balances();
    const answer = open()(url, {}, question());
    const failure = expect(answer).rejects.toMatchObject({ code: "not_approved" });
    const { text, terms } = await requestIn("waiting");
    amount = "0.060 HBD";
    await reply(owner, sign(text));
    const next = await soon(async () => {
      const latest = await requestIn("waiting");
      expect(latest.terms.id).not.toBe(terms.id);
      return latest;
    });
    expect(next.terms.amount).toBe("0.060 HBD");
    await reply(owner, writeAnswer("No.", { refuses: next.terms.id }));
    await failure;
    expect(await spentBy(before)).toBe(0);
  });

  test("a node that reports other keys of the owner, if two others contradict it", async () => {
    const { posting } = await findAccount("bob");
    const result = { accounts: [{ ...(await findAccount(OWNER)), posting }] };
    try {
      await expectNothingPaid(async ({ text }) => {
        await shop.chain.setFault({ kind: "lie", method: "database_api.find_accounts", result }, 0);
        await reply(owner, sign(text, "bob"));
      });
    } finally {
      await shop.chain.clearFaults();
    }
  });
});

describe("an agent that is killed", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-asking-"));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  const start = (url: string) =>
    startAskingProcess({
      ...{ url, dataDir, owner: OWNER, chatUrl: world.gateway.url, token: agent.pat, question: question() },
      ...shop.purse(AGENT),
    });

  test("while the owner decides reads the answer after its restart, and pays once", async () => {
    const url = await sell(echo);
    const before = await shop.balances();
    const first = start(url);
    const { text } = await requestIn("waiting");
    await first.kill();
    await reply(owner, sign(text));
    const second = start(url);
    await soon(() => expect(second.words, second.output()).toContainEqual({ status: 200 }));
    await requestIn("paid");
    await second.kill();
    expect(await spentBy(before)).toBe(50);
    expect(await requests()).toHaveLength(1);
  });

  /** Serves what `paid` sells, and stops requests for a price, or with a payment, as `isStopped` says. */
  const serveGate = async (paid: string, isStopped: (at: "price" | "content") => boolean) => {
    const stops: string[] = [];
    const url = await serve(async ({ headers }) => {
      const payment = headers.get("x-payment");
      const at = payment === null ? "price" : "content";
      if (!isStopped(at)) return fetch(paid, payment === null ? {} : { headers: { "x-payment": payment } });
      stops.push(at);
      return new Promise<Response>(() => {});
    });
    return { url, stops };
  };

  test.each([
    ["between approval and payment pays once after its restart", "price"],
    ["after it has signed sends the same payment after its restart, and reports its receipt", "content"],
  ] as const)("%s", async (_name, place) => {
    let stopsAt: string | null = place === "content" ? place : null;
    const { url, stops } = await serveGate(await sell(echo), (at) => at === stopsAt);
    const before = await shop.balances();
    const first = start(url);
    const { text } = await requestIn("waiting");
    stopsAt = place;
    await reply(owner, sign(text));
    await soon(() => expect(stops, first.output()).toEqual([place]));
    await first.kill();
    stopsAt = null;
    const second = start(url);
    await soon(() => expect(second.words, second.output()).toContainEqual({ status: 200 }));
    await requestIn("paid");
    await second.kill();
    expect(await spentBy(before)).toBe(50);
    expect(await requests()).toHaveLength(1);
  });
});
