import { setImmediate as later } from "node:timers/promises";
import { expect, it } from "vitest";
import { createOutsideTurns, createPictures } from "#lib/chat/media/outside-pictures.ts";
import { createPreviews } from "#lib/chat/media/previews.ts";
import type { ChainReader } from "#lib/hive/chain-reader.ts";
import type { Outside } from "#lib/outside/fetch-outside.ts";

/** Creates tasks that wait for the test. `begun` names those that have a turn. */
function createWorks() {
  const turns = createOutsideTurns();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    async ask(host: string, reader: string, name = `${reader} at ${host}`) {
      void turns.run({ person: reader, group: host }, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
      await later();
    },
    async end(name: string) {
      ends.get(name)?.();
      await later();
    },
  };
}

it("sends up to two requests at once to a slow host, without delaying other hosts", async () => {
  const { begun, ask, end } = createWorks();
  for (const reader of ["one", "two", "three", "four"]) await ask("slow.example", reader);
  expect(begun).toEqual(["one at slow.example", "two at slow.example"]);
  await ask("quick.example", "five");
  expect(begun).toContain("five at quick.example");
  await end("one at slow.example");
  expect(begun).toContain("three at slow.example");
});

it("sends up to four requests at once for one reader, without delaying other readers", async () => {
  const { begun, ask, end } = createWorks();
  for (let host = 1; host <= 9; host++) await ask(`slow-${host}.example`, "one");
  expect(begun).toHaveLength(4);
  await ask("slow-9.example", "two");
  expect(begun).toContain("two at slow-9.example");
  await end("one at slow-1.example");
  expect(begun).toContain("one at slow-5.example");
});

it("sends requests to up to eight hosts at once", async () => {
  const { begun, ask } = createWorks();
  for (let index = 1; index <= 10; index++) await ask(`slow-${index}.example`, `reader ${index}`);
  expect(begun).toHaveLength(8);
});

/** Creates outside servers that never answer. `asked` names the requested addresses. */
function createSilence() {
  const asked: string[] = [];
  const never = (address: string) => {
    asked.push(address);
    return new Promise<never>(() => undefined);
  };
  const outside = { fetch: never } as unknown as Outside;
  const chain = { read: () => never("the chain") } as unknown as ChainReader;
  const pictures = createPictures(outside);
  const previews = createPreviews({ chain, outside, privateHosts: [] });
  return { asked, pictures, previews };
}

it.each(["pictures", "previews"] as const)(
  "drops the queued request of a caller who stops waiting for %s",
  async (kind) => {
    const silence = createSilence();
    const look = (address: string, reader: string, signal?: AbortSignal) =>
      kind === "pictures"
        ? silence.pictures(address, reader, signal)
        : silence.previews(new URL(address), reader, signal);
    for (let index = 1; index <= 4; index++) void look(`https://slow-${index}.example/`, "one");
    await later();
    const leaving = new AbortController();
    const left = look("https://slow-5.example/", "one", leaving.signal);
    const reason = new Error("gone");
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(silence.asked).toHaveLength(4);
  },
);

it("drops the queued request of a caller who stops waiting for chain posts", async () => {
  const { asked, previews } = createSilence();
  const look = (number: number, signal?: AbortSignal) =>
    previews(new URL(`https://hive.blog/@alice/post-${number}`), "one", signal);
  for (let number = 1; number <= 8; number++) void look(number).catch(() => undefined);
  await later();
  const before = asked.length;
  const leaving = new AbortController();
  const left = look(9, leaving.signal);
  const reason = new Error("gone");
  leaving.abort(reason);
  await expect(left).rejects.toBe(reason);
  expect(asked).toHaveLength(before);
});
