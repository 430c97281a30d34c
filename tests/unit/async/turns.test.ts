import { setImmediate as later } from "node:timers/promises";
import { expect, it } from "vitest";
import { createSharedTurns, createTurns } from "../../../lib/async/turns.ts";

/** Creates places that the test can observe and return. */
function createWatched(options: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(options);
  const holders: Array<{ person: string; giveBack: () => void }> = [];
  const refused: string[] = [];
  return {
    holders: () => holders.map(({ person }) => person),
    refused,
    async ask(person: string, group?: string, signal?: AbortSignal) {
      turns.take({ person, ...(group !== undefined && { group }) }, signal).then(
        (giveBack) => holders.push({ person, giveBack }),
        () => refused.push(person),
      );
      await later();
    },
    async leave(person: string) {
      const index = holders.findIndex((one) => one.person === person);
      holders.splice(index, 1)[0]?.giveBack();
      await later();
    },
  };
}

it("leaves a place for another person, however many one person wants", async () => {
  const { ask, holders } = createWatched({ places: 4, mostWaiting: 40 });
  for (let index = 0; index < 44; index++) await ask("one");
  expect(holders()).toEqual(["one", "one"]);
  await ask("two");
  expect(holders()).toEqual(["one", "one", "two"]);
});

it("serves waiting people in turn, not in order of arrival", async () => {
  const { ask, leave, holders } = createWatched({ places: 1, mostWaiting: 40 });
  for (let index = 0; index < 10; index++) await ask("one");
  await ask("two");
  await ask("three");
  const order: string[] = [];
  for (let index = 0; index < 4; index++) {
    order.push(...holders());
    await leave(holders()[0] ?? "");
  }
  expect(order.slice(0, 1)).toEqual(["one"]);
  expect(order.slice(1).sort()).toEqual(["one", "three", "two"]);
});

it("gives a newcomer to a full queue the last place of the person with the most places", async () => {
  const { ask, refused, leave, holders } = createWatched({ places: 1, mostWaiting: 3 });
  for (let index = 0; index < 5; index++) await ask("one");
  expect(refused).toEqual(["one"]);
  await ask("two");
  expect(refused).toEqual(["one", "one"]);
  await leave("one");
  await leave("one");
  expect(holders()).toEqual(["two"]);
});

it("reports the longest wait of people without a place, and ignores people with one", async () => {
  let nowMs = 1000;
  const turns = createTurns({ places: 2, mostWaiting: 40, now: () => nowMs });
  const places = [await turns.take({ person: "one" }), await turns.take({ person: "two" })];
  void turns.take({ person: "one" });
  nowMs += 500;
  expect(turns.longestWaitMs()).toBe(0);
  void turns.take({ person: "three" });
  nowMs += 200;
  void turns.take({ person: "four" });
  nowMs += 100;
  expect(turns.longestWaitMs()).toBe(300);
  // Persons one and three get the two places, so only person four still waits.
  for (const giveBack of places) giveBack();
  expect(turns.longestWaitMs()).toBe(100);
});

it("skips a waiting caller who has left", async () => {
  const { ask, leave, holders, refused } = createWatched({ places: 1, mostWaiting: 3 });
  const gone = new AbortController();
  await ask("one");
  await ask("two", undefined, gone.signal);
  await ask("three");
  gone.abort();
  await leave("one");
  expect(holders()).toEqual(["three"]);
  expect(refused).toEqual(["two"]);
});

it("skips a group that holds all its places", async () => {
  const { ask, holders } = createWatched({ places: 8, mostOfGroup: 1, mostWaiting: 40 });
  await ask("one", "slow");
  await ask("two", "slow");
  await ask("two", "quick");
  expect(holders()).toEqual(["one", "two"]);
});

it("shares one run, which starts as soon as any caller's turn comes", async () => {
  const turns = createTurns({ places: 2, mostOfPerson: 1, mostWaiting: 40 });
  const share = createSharedTurns<string>(turns);
  let runs = 0;
  const work = async () => `run ${++runs}`;
  const giveBack = await turns.take({ person: "busy" });
  const waiting = share("picture", { person: "busy" }, work);
  // The free person's turn comes at once, so neither waits in the busy person's line.
  expect(await share("picture", { person: "free" }, work)).toBe("run 1");
  expect(await waiting).toBe("run 1");
  giveBack();
  expect(await share("picture", { person: "busy" }, work)).toBe("run 2");
});

it("shares a failure, and does not cache it", async () => {
  const share = createSharedTurns<string>(createTurns({ places: 4, mostWaiting: 4 }));
  const fail = () => Promise.reject(new Error("no"));
  const both = await Promise.allSettled([
    share("x", { person: "one" }, fail),
    share("x", { person: "two" }, fail),
  ]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await share("x", { person: "one" }, async () => "yes")).toBe("yes");
});
