import { describe, expect, test } from "vitest";
import { routes } from "../../app/api/routes.ts";
import { listRouteFiles, templateOf } from "../../lib/cli/route-source.ts";
import { setConfig } from "../harness/set-config.ts";

setConfig();

describe("the route table", () => {
  const files = listRouteFiles("app");

  test("names every route file under its path, and nothing else: npm run routes writes it", async () => {
    expect(Object.keys(routes).sort()).toEqual(files.map(templateOf).sort());
    for (const file of files) {
      const path = `../../app/${file}`;
      expect(routes[templateOf(file)]).toBe(await import(/* @vite-ignore */ path));
    }
  });

  test("what Next would answer with a page below /api is 404 as JSON, by every method", async () => {
    const served = await import("../../app/api/[[...rest]]/route.ts");
    expect(Object.keys(served)).toEqual(["DELETE", "GET", "PATCH", "POST", "PUT"]);
    for (const [method, answer] of Object.entries(served)) {
      const response = await answer(new Request("http://localhost/api/none", { method }));
      expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
    }
  });
});
