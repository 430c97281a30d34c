import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket as NodeWebSocket } from "ws";
import { askHiveAuthToPay } from "#app/(demo)/_pay/ask-hiveauth-to-pay.ts";
import { isClaimAsked, type KeptClaim, keepClaim } from "#app/(demo)/_pay/kept-claims.ts";
import type { TransferOffer } from "#lib/x402/client/index.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";
import {
  type AskedOperation,
  admitByHiveAuth,
  type HiveAuthRelay,
  startHiveAuthRelay,
} from "../../../harness/start-hiveauth-relay.ts";

const TX_ID = "1f".repeat(20);
const target = { method: "GET", url: "/api/demo/articles/a" } as const;
const offer: TransferOffer = {
  ...{ scheme: "exact", network: "chain:sandbox", amount: "50", asset: "HBD", payTo: "shop" },
  maxTimeoutSeconds: 900,
  extra: {
    ...{ assetTransferMethod: "memo", paymentFlow: "upfront", memo: "x402:memo" },
    ...{ claim: "the-claim", hiveUri: "hive://" },
  },
};

let relay: HiveAuthRelay;
let claim: KeptClaim;
let leaving: AbortController;
const wallets: Array<{ close(): void }> = [];

beforeEach(async () => {
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("location", new URL("http://shop.invalid/"));
  vi.stubGlobal("WebSocket", NodeWebSocket);
  // A page without a secure origin has no locks.
  vi.stubGlobal("navigator", {});
  relay = await startHiveAuthRelay();
  claim = keepClaim(target, "An article", offer);
  leaving = new AbortController();
});
afterEach(async () => {
  leaving.abort(new Error("the test has ended"));
  for (const wallet of wallets.splice(0)) wallet.close();
  await relay.close();
  vi.unstubAllGlobals();
});

/** Has a page ask bob's wallet, which answers as `answer` says, and notes the links and operations. */
function ask(answer: (asked: AskedOperation) => Promise<string | null>) {
  const links: string[] = [];
  const asked: AskedOperation[] = [];
  const outcome = askHiveAuthToPay(claim, {
    ...{ relay: relay.url, account: "bob", signal: leaving.signal, onAsking: () => {} },
    onLink(link) {
      links.push(link);
      const take = (one: AskedOperation) => {
        asked.push(one);
        return answer(one);
      };
      admitByHiveAuth(link, take).then(
        (wallet) => wallets.push(wallet),
        () => undefined,
      );
    },
  });
  outcome.catch(() => undefined);
  return { outcome, links, asked };
}
/** Creates a browser's locks, which are granted at once unless a page holds them. */
function createLocks() {
  const held = new Set<string>();
  let isAnotherAsking = false;
  return {
    held,
    async request(name: string, _options: object, work: (lock: object | null) => unknown) {
      if (isAnotherAsking || held.has(name)) return work(null);
      held.add(name);
      try {
        return await work({ name });
      } finally {
        held.delete(name);
      }
    },
    /** Lets another page hold all locks, or give them back. */
    letAnotherAsk(isNow: boolean) {
      isAnotherAsking = isNow;
    },
  };
}
const requests = () => relay.seen.filter((frame) => JSON.parse(frame).cmd === "sign_req").length;

test("the wallet is asked for exactly the claim's transfer, from the given account", async () => {
  const { outcome, asked } = ask(async () => TX_ID);
  expect(await outcome).toBe("asked");
  const transfer = { from: "bob", to: "shop", amount: "0.050 HBD", memo: "x402:memo" };
  expect(asked.map(({ operation }) => operation)).toEqual([["transfer", transfer]]);
});

test("a later page asks no wallet again for the same claim", async () => {
  await ask(async () => TX_ID).outcome;
  const later = ask(async () => TX_ID);
  expect(await later.outcome).toBe("asked");
  expect(later.links).toEqual([]);
  expect(requests()).toBe(1);
});

test("a page that was closed before the answer leaves the claim as asked", async () => {
  const { outcome } = ask(() => {
    leaving.abort(new Error("left"));
    return new Promise(() => {});
  });
  expect(await outcome).toBe("asked");
  expect(isClaimAsked(claim)).toBe(true);
});

test("two pages that wait for the same claim's wallet at once ask it to send once", async () => {
  const pages = [ask(async () => TX_ID), ask(async () => TX_ID)];
  expect(await Promise.all(pages.map(({ outcome }) => outcome))).toEqual(["asked", "asked"]);
  expect(pages.map(({ links }) => links.length)).toEqual([1, 1]);
  expect(requests()).toBe(1);
});

test("a page asks no wallet while another page asks for the same claim, though it does not see that one's mark yet", async () => {
  const locks = createLocks();
  vi.stubGlobal("navigator", { locks });
  locks.letAnotherAsk(true);
  expect(await ask(async () => TX_ID).outcome).toBe("asked");
  expect([requests(), isClaimAsked(claim)]).toEqual([0, false]);
  locks.letAnotherAsk(false);
  expect(await ask(async () => TX_ID).outcome).toBe("asked");
  expect(requests()).toBe(1);
});

test("a page asks for a claim in its turn until the wallet has answered", async () => {
  const locks = createLocks();
  vi.stubGlobal("navigator", { locks });
  const heldMeanwhile: number[] = [];
  const declining = ask(async () => {
    heldMeanwhile.push(locks.held.size);
    return null;
  });
  expect(await declining.outcome).toBe("declined");
  expect([heldMeanwhile, locks.held.size]).toEqual([[1], 0]);
});

test("a page that stops asking while it waits for its turn asks no wallet", async () => {
  const locks = createLocks();
  const request: typeof locks.request = (...asked) => {
    leaving.abort(new Error("left"));
    return locks.request(...asked);
  };
  vi.stubGlobal("navigator", { locks: { request } });
  expect(await ask(async () => TX_ID).outcome).toBeNull();
  expect([requests(), isClaimAsked(claim), locks.held.size]).toEqual([0, false, 0]);
});

test("a page that is being closed, and gets no lock, asks no wallet", async () => {
  const request = () => Promise.reject(new DOMException("closing", "InvalidStateError"));
  vi.stubGlobal("navigator", { locks: { request } });
  await expect(ask(async () => TX_ID).outcome).rejects.toThrow("closing");
  expect([requests(), isClaimAsked(claim)]).toEqual([0, false]);
});

test("a claim whose transfer the wallet provably declined may be asked for again", async () => {
  expect(await ask(async () => null).outcome).toBe("declined");
  expect(isClaimAsked(claim)).toBe(false);
  expect(await ask(async () => TX_ID).outcome).toBe("asked");
});

test("a relay that hides the answer leaves the claim as asked", async () => {
  relay.treat((frame) => (frame.cmd === "sign_ack" ? { ...frame, cmd: "sign_nack", data: "" } : frame));
  expect(await ask(async () => TX_ID).outcome).toBe("asked");
  expect(isClaimAsked(claim)).toBe(true);
});

test("no wallet is asked to send if the claim is not kept any more", async () => {
  vi.stubGlobal("localStorage", memoryStorage());
  await expect(ask(async () => TX_ID).outcome).rejects.toThrow();
  expect(requests()).toBe(0);
});
