import { describe, expect, test } from "vitest";
import { snippets } from "#app/(demo)/_landing/code-tabs.tsx";
import { compileLibraryUsers } from "../../../harness/compile-library-users.ts";

const fileOf = (id: string) => `docs/landing-${id}.ts`;

describe("code on the first page", () => {
  const users = compileLibraryUsers(new Map(snippets.map(({ id, code }) => [fileOf(id), code])));

  test.each(snippets)("compiles in a strict project: $name", ({ id }) => {
    expect(users.faultsOf(fileOf(id))).toEqual([]);
  });

  test.each(snippets)("has eight lines, none wider than a laptop shows: $name", ({ code }) => {
    const lines = code.split("\n");
    expect(lines).toHaveLength(8);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });
});
