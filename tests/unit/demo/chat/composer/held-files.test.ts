import { expect, it } from "vitest";
import { holdFiles, takeHeldFiles } from "#app/(demo)/_chat/composer/held-files.ts";
import { changePerson } from "#app/(demo)/_session/person.ts";

const file = (name: string) => new File(["x"], name, { type: "image/png" });

it("returns the files held for a place once, in their order", () => {
  const [first, second] = [file("first.png"), file("second.png")];
  holdFiles("alice.room.", [first]);
  holdFiles("alice.room.", [second]);
  expect(takeHeldFiles("alice.other.")).toEqual([]);
  expect(takeHeldFiles("alice.room.")).toEqual([first, second]);
  expect(takeHeldFiles("alice.room.")).toEqual([]);
});

it("forgets the files when their user signs out", () => {
  holdFiles("alice.room.", [file("first.png")]);
  changePerson(null);
  expect(takeHeldFiles("alice.room.")).toEqual([]);
});
