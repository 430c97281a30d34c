import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { mutate, mutations } from "../../simulation/mutations.ts";

// The simulation checks this too, at the end of verify. This test reports within seconds that a fault no
// longer fits the payment code.
describe("a fault that the simulation has to find", () => {
  it.each(mutations)("can be inserted into the code: $name", async (mutation) => {
    const text = await readFile(new URL(`../../../${mutation.file}`, import.meta.url), "utf8");
    expect(mutate(text, mutation)).not.toBe(text);
  });
});
