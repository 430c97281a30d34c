import { expect, it } from "vitest";
import { deriveOnce } from "../../../lib/async/derive-once.ts";

it("derives once from each object, even if the result is undefined", () => {
  const asked: string[] = [];
  const find = deriveOnce(({ name }: { name: string }) => {
    asked.push(name);
    return name === "a" ? undefined : [name];
  });
  const [one, other] = [{ name: "a" }, { name: "b" }];
  expect([find(one), find(one)]).toEqual([undefined, undefined]);
  expect(find(other)).toBe(find(other));
  expect(find({ name: "b" })).toEqual(["b"]);
  expect(asked).toEqual(["a", "b", "b"]);
});
