import { describe, expect, test } from "vitest";
import { routes } from "../../app/api/routes.ts";
import { listRouteFiles, templateOf } from "../../lib/cli/generated-files.ts";
import { setConfig } from "../harness/set-config.ts";

setConfig();

describe("the route table", () => {
  const files = listRouteFiles("app");

  test("lists exactly the route files, by their paths", async () => {
    expect(Object.keys(routes).sort()).toEqual(files.map(templateOf).sort());
    for (const file of files) {
      const path = `../../app/${file}`;
      expect(routes[templateOf(file)]).toBe(await import(/* @vite-ignore */ path));
    }
  });
});
