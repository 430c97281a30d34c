import { describe, expect, test } from "vitest";
import type { ZodType } from "zod";
import { answers } from "../../../lib/contract/answers.ts";
import type { Operations } from "../../../lib/contract/limits.ts";
import { createOpenApi } from "../../../lib/contract/openapi.ts";
import { operations } from "../../../lib/contract/operations.ts";

type Content = { "application/json"?: { example?: unknown; examples?: Record<string, { value: object }> } };
type Described = {
  description: string;
  tags: string[];
  "x-rate-limits"?: string[];
  parameters: Array<{ name: string; description?: string }>;
  requestBody?: { content: Content };
  responses: Record<string, { description: string; "x-codes"?: string[]; content: Content }>;
};
const document = createOpenApi("https://chat.hivegate.test") as {
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes: Record<string, { description: string }> };
};
const described = Object.entries<Operations[string]>(operations).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) =>
      [`${method.toUpperCase()} ${path}`, operation, document.paths[path]?.[method] as Described] as const,
  ),
);
const faultsOf = (schema: ZodType, value: unknown) => schema.safeParse(value).error?.issues ?? [];

describe("the OpenAPI document", () => {
  test.each(described)(
    "%s: every example matches the schema that checks or describes it",
    (_name, operation, to) => {
      const { body, answer, failureAnswers = {} } = operation;
      if (body) {
        const { example } = to.requestBody?.content["application/json"] ?? {};
        expect(faultsOf(body, example)).toEqual([]);
      }
      if (typeof answer === "string") {
        const { example } = to.responses["200"]?.content["application/json"] ?? {};
        expect(faultsOf(answers[answer], example)).toEqual([]);
      }
      const failures = Object.entries(to.responses).filter(([status]) => Number(status) >= 400);
      expect(failures.length).toBeGreaterThan(0);
      for (const [status, { content }] of failures) {
        const values = Object.values(content["application/json"]?.examples ?? {});
        expect(values.length, status).toBeGreaterThan(0);
        const schema = answers[failureAnswers[Number(status)] ?? "Failure"];
        for (const { value } of values) expect(faultsOf(schema, value), status).toEqual([]);
      }
    },
  );

  test.each(described)("%s has a description, and codes for each of its refusals", (_name, operation, to) => {
    expect(to.description).toMatch(/^[A-Z\d`].* .*\.$/s);
    for (const { name, description } of to.parameters) expect(description, name).toBeTruthy();
    for (const [status, response] of Object.entries(to.responses))
      if (Number(status) >= 400 && operation.failureAnswers?.[Number(status)] === undefined)
        expect(response["x-codes"]?.length, status).toBeGreaterThan(0);
  });

  test("lists only the codes that a refusal of the operation can have", () => {
    const codes = (path: string, method: string, status: number) =>
      document.paths[path]?.[method]?.responses[status]?.["x-codes"];
    expect(codes("/api/chat/bootstrap", "post", 403)).toEqual([
      "forbidden",
      "name_reserved",
      "user_limit_reached",
    ]);
    expect(codes("/api/chat/channels/{channelId}/mute", "post", 403)).toEqual(["forbidden"]);
    expect(codes("/api/chat/websocket", "get", 400)).toEqual(["invalid_request", "invalid_upgrade"]);
    expect(codes("/api/demo/articles/{slug}", "get", 402)).toEqual(
      expect.arrayContaining(["payment_replayed"]),
    );
  });

  test("describes quotas, sizes, lifetimes and signing for operations that have them", () => {
    const at = (path: string, method: string) => document.paths[path]?.[method] as Described;
    expect(at("/api/chat/bootstrap", "post")["x-rate-limits"]).toEqual([
      "120 in 60 s for each client address",
      "30 in 60 s for each account and client address",
    ]);
    expect(at("/api/chat/direct", "post")["x-rate-limits"]).toContain("10 in 1 s for each person");
    expect(at("/api/chat/me", "get")["x-rate-limits"]).toEqual([
      "300 in 60 s for each client address, with tokens that have proven nothing yet",
    ]);
    expect(at("/api/x402/settle", "post").responses["413"]?.description).toContain("32 KiB");
    expect(at("/api/chat/direct", "post").responses["413"]?.description).toContain("64 KiB");
    expect(JSON.stringify(at("/api/chat/channels/{channelId}/posts", "post").requestBody)).toContain(
      '"maxLength":16383',
    );
    expect(at("/api/auth/challenge", "post").description).toMatch(
      /SHA-256.*posting key.*130 lower-case hex/s,
    );
    expect(document.components.securitySchemes.bearer?.description).toContain("does not expire");
    expect(document.components.securitySchemes.cookie?.description).toContain("30 days");
  });

  test("declares a separate token for the metrics", () => {
    expect(document.paths["/api/metrics"]?.get).toMatchObject({ security: [{ metrics: [] }] });
    expect(document.components.securitySchemes.metrics?.description).toContain("METRICS_TOKEN");
  });

  test("declares exactly the groups that operations use", () => {
    const used = new Set(described.flatMap(([, , { tags }]) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });
});
