import { setImmediate as later } from "node:timers/promises";
import { expect, it } from "vitest";
import { createOutsideTurns } from "#lib/chat/media/outside-pictures.ts";

/** Works that wait for the test; `begun` names those that have their turn. */
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

it("a slow host is asked twice at once, and holds up no other host", async () => {
  const { begun, ask, end } = createWorks();
  for (const reader of ["one", "two", "three", "four"]) await ask("slow.example", reader);
  expect(begun).toEqual(["one at slow.example", "two at slow.example"]);
  await ask("quick.example", "five");
  expect(begun).toContain("five at quick.example");
  await end("one at slow.example");
  expect(begun).toContain("three at slow.example");
});

it("a reader of pictures of many slow hosts has four of them asked at once, and holds up no other reader", async () => {
  const { begun, ask, end } = createWorks();
  for (let host = 1; host <= 9; host++) await ask(`slow-${host}.example`, "one");
  expect(begun).toHaveLength(4);
  await ask("slow-9.example", "two");
  expect(begun).toContain("two at slow-9.example");
  await end("one at slow-1.example");
  expect(begun).toContain("one at slow-5.example");
});

it("eight are asked at once in all", async () => {
  const { begun, ask } = createWorks();
  for (let index = 1; index <= 10; index++) await ask(`slow-${index}.example`, `reader ${index}`);
  expect(begun).toHaveLength(8);
});
