import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { type ClaimStore, createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { offerOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop } = await openShop();
const url = "http://shop.example/";

type Ends = { isOpen: boolean; phases: string[]; open(): void };

/** Creates a claim store that records the end of a delivery only when the test says so. */
function createLateStore(): { store: ClaimStore; ends: Ends } {
  const memory = createMemoryClaimStore();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const ends: Ends = { isOpen: false, phases: [], open: () => open() };
  const replace: ClaimStore["replace"] = async (key, from, to, ttlSeconds) => {
    const isEnd = key.startsWith("x402:claim:") && JSON.parse(from).phase === "delivering";
    if (!isEnd) return memory.replace(key, from, to, ttlSeconds);
    ends.isOpen = true;
    await opened;
    ends.phases.push(JSON.parse(to).phase);
    return memory.replace(key, from, to, ttlSeconds);
  };
  return { store: { ...memory, replace }, ends };
}

type Content = () => Response;
const servers: Array<
  [string, (store: ClaimStore, content: Content) => (request: Request) => Promise<Response>]
> = [
  ["withPaywall", (store, content) => withPaywall({ ...shop.price, store }, content)],
  [
    "honoPaywall",
    (store, content) => {
      const app = new Hono();
      app.get("/", honoPaywall({ ...shop.price, store }), content);
      return async (request) => app.fetch(request);
    },
  ],
];

const bytes = (text: string) => new TextEncoder().encode(text);
const parts = (...texts: string[]) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      const text = texts.shift();
      if (text === undefined) controller.close();
      else controller.enqueue(bytes(text));
    },
  });
const breaking = () => {
  let isBegun = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isBegun) controller.error(new Error("out of order"));
      else controller.enqueue(bytes("first"));
      isBegun = true;
    },
  });
};

describe.each(servers)("behind %s, the reader of an answer", (_name, open) => {
  const ask = async (store: ClaimStore, content: Content) => {
    const answer = open(store, content);
    const requirements = await offerOf(await answer(new Request(url)));
    const headers = { "x-payment": await signPayment({ ...shop.purse(), requirements }) };
    return answer(new Request(url, { headers }));
  };

  test.each<[string, string, Content]>([
    ["in parts", "delivered", () => new Response(parts("one ", "two"))],
    [
      "of declared length",
      "delivered",
      () => new Response(parts("one"), { headers: { "content-length": "3" } }),
    ],
    ["that breaks off", "paid", () => new Response(breaking())],
  ])("%s sees its end only once the end is recorded", async (_case, phase, content) => {
    const { store, ends } = createLateStore();
    const response = await ask(store, content);
    let isSeen = false;
    const reading = response.text().then(
      () => undefined,
      () => undefined,
    );
    void reading.then(() => {
      isSeen = true;
    });
    await expect.poll(() => ends.isOpen).toBe(true);
    expect(isSeen).toBe(false);
    ends.open();
    await reading;
    expect(ends.phases).toEqual([phase]);
  });

  test("without content gets it only once its end is recorded", async () => {
    const { store, ends } = createLateStore();
    let isSeen = false;
    const asking = ask(store, () => new Response(null, { status: 204 }));
    void asking.then(() => {
      isSeen = true;
    });
    await expect.poll(() => ends.isOpen).toBe(true);
    expect(isSeen).toBe(false);
    ends.open();
    expect((await asking).status).toBe(204);
    expect(ends.phases).toEqual(["delivered"]);
  });

  test("sees the end even if the store never answers", async () => {
    const { store } = createLateStore();
    const response = await ask(store, () => new Response(parts("one ", "two")));
    expect(await response.text()).toBe("one two");
  });
});
