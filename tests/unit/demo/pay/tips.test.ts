import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { explorerLink } from "#app/(demo)/_pay/receipt-card.tsx";
import { createTipCounts } from "#app/(demo)/_pay/tip-counts.ts";
import { postIdOf, tipTarget } from "#app/(demo)/_pay/tip-dialog.tsx";
import { toMils } from "#lib/mils.ts";

const id = "a".repeat(26);

describe("the target of a tip", () => {
  test("names the person, and the message if the link leads to a chat message", () => {
    const link = `/chat/${"c".repeat(26)}?post=${id}`;
    expect(postIdOf(link)).toBe(id);
    expect(postIdOf(`https://chat.example.com${link}`)).toBe(id);
    expect([postIdOf("https://hive.blog/@bob"), postIdOf("/chat?post=x")]).toEqual([null, null]);
    expect(tipTarget("bob", toMils(10), link)).toEqual({
      method: "POST",
      url: `/api/demo/tips?to=bob&amount=0.010&post=${id}`,
    });
    expect(tipTarget("bob", toMils(100), "https://hive.blog/@bob").url).toBe(
      "/api/demo/tips?to=bob&amount=0.100",
    );
  });
});

describe("tip counts", () => {
  const idOf = (index: number) => String(index).padStart(26, "x");

  test("requests up to a hundred messages at once, and none twice", async () => {
    vi.useFakeTimers();
    const asked: string[][] = [];
    const counts = createTipCounts(async (ids) => {
      asked.push([...ids]);
      return { [idOf(3)]: { count: 2, total: "0.060 HBD", tippers: [] } };
    });
    for (let index = 0; index < 150; index++) counts.want(idOf(index));
    for (let index = 0; index < 150; index++) counts.want(idOf(index));
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(asked.map((ids) => ids.length)).toEqual([100, 50]);
    expect([counts.get(idOf(3)), counts.get(idOf(4))]).toEqual([
      { count: 2, total: "0.060 HBD", tippers: [] },
      null,
    ]);
  });

  test("requests again on demand after a failure, and reports the user's own tip to listeners", async () => {
    vi.useFakeTimers();
    let calls = 0;
    const counts = createTipCounts(async () => {
      calls += 1;
      throw new Error("down");
    });
    counts.want(id);
    await vi.runAllTimersAsync();
    counts.want(id);
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(calls).toBe(2);
    let told = 0;
    const stop = counts.subscribe(() => {
      told += 1;
    });
    counts.set(id, { count: 1, total: "0.010 HBD", tippers: [] });
    stop();
    counts.set(id, { count: 2, total: "0.020 HBD", tippers: [] });
    expect([told, counts.get(id)?.count]).toEqual([1, 2]);
  });
});

describe("the cache of other users' tips", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  function countTips() {
    const asked: string[][] = [];
    const given = new Map<string, number>();
    const counts = createTipCounts(async (ids) => {
      asked.push([...ids]);
      const tipped = ids.filter((wanted) => given.has(wanted));
      return Object.fromEntries(
        tipped.map((wanted) => [wanted, { count: given.get(wanted) ?? 0, total: "x", tippers: [] }]),
      );
    });
    return { counts, asked, given };
  }

  test("does not request a message that was just written", async () => {
    const { counts, asked } = countTips();
    counts.begin(id);
    counts.want(id);
    await vi.runAllTimersAsync();
    expect([asked, counts.get(id)]).toEqual([[], null]);
  });

  test("requests a revisited message again, at most every half minute", async () => {
    const { counts, asked, given } = countTips();
    counts.begin(id);
    given.set(id, 1);
    counts.reread(id);
    await vi.advanceTimersByTimeAsync(29_000);
    counts.reread(id);
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    counts.reread(id);
    counts.reread(id);
    await vi.advanceTimersByTimeAsync(100);
    expect([asked, counts.get(id)?.count]).toEqual([[[id]], 1]);
  });

  test("requests all shown messages once when the reader returns, and no others", async () => {
    const { counts, asked } = countTips();
    counts.want("a")();
    counts.want("b");
    const hide = counts.want("c");
    counts.want("c");
    hide();
    await vi.advanceTimersByTimeAsync(31_000);
    counts.rereadShown();
    await vi.advanceTimersByTimeAsync(1_000);
    counts.rereadShown();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
  });

  test("ignores an answer older than the user's own tip", async () => {
    const { counts, given } = countTips();
    given.set(id, 1);
    counts.want(id);
    counts.set(id, { count: 2, total: "0.020 HBD", tippers: [] });
    await vi.runAllTimersAsync();
    expect(counts.get(id)?.count).toBe(2);
  });

  test("keeps cached counts if a request fails", async () => {
    const counts = createTipCounts(async () => {
      throw new Error("down");
    });
    counts.set(id, { count: 3, total: "0.030 HBD", tippers: [] });
    await vi.advanceTimersByTimeAsync(31_000);
    counts.reread(id);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(counts.get(id)?.count).toBe(3);
  });
});

test("links a receipt to an explorer only on the main chain", () => {
  const receipt = { payer: "a", txId: "f".repeat(40), blockNum: 1, network: "chain:mainnet", amount: "" };
  expect(explorerLink(receipt)).toBe(`https://hivehub.dev/tx/${"f".repeat(40)}`);
  expect(explorerLink({ ...receipt, network: "chain:sandbox" })).toBeNull();
  expect(explorerLink({ ...receipt, txId: "../x" })).toBeNull();
});
