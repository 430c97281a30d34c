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
