import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { describe, expect, test } from "vitest";
import { createOpenApi } from "../../../lib/contract/openapi.ts";

const document = createOpenApi("https://chat.hivegate.test");

/** A websocket starts with 101, which linters of HTTP do not count as a success. */
const websocket = "/api/chat/websocket";

describe("linting the OpenAPI document", () => {
  test("passes spectral's rules, except that the websocket has no 2xx answer", async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as RulesetDefinition, "recommended"]] });
    const found = await spectral.run(JSON.stringify(document));
    expect(found.map(({ code, path }) => [code, path.join(" ")])).toEqual([
      ["operation-success-response", `paths ${websocket} get responses`],
    ]);
  });

  test("passes redocly's recommended rules, except that the websocket has no 2xx answer", async () => {
    const config = await createConfig({ extends: ["recommended"], telemetry: "off" });
    const source = JSON.stringify(document);
    const found = await lintFromString({ source, config, absoluteRef: "/openapi.json" });
    expect(found.map(({ ruleId, location: [place] }) => [ruleId, place?.pointer])).toEqual([
      ["operation-2xx-response", `#/paths/${websocket.replaceAll("/", "~1")}/get/responses`],
    ]);
  });
});
