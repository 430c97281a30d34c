import { describe, expect, test } from "vitest";
import { routes } from "../../../app/api/routes.ts";
import { createOpenApi } from "../../../lib/contract/openapi.ts";
import { errorTable } from "../../../lib/errors.ts";
import { paymentErrorCodes } from "../../../lib/x402/client/payment-error.ts";
import { reasons } from "../../../lib/x402/facilitator/reasons.ts";

type Operation = {
  operationId: string;
  summary: string;
  security: unknown[];
  parameters: Array<{ name: string; in: string }>;
  requestBody?: unknown;
  responses: Record<string, unknown>;
};
const document = createOpenApi("http://localhost:3000") as {
  openapi: string;
  "x-payment-codes": Array<{ code: string; remedy: string }>;
  "x-payment-error-codes": Array<{ code: string; text: string; remedy: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
};
const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
);

describe("the OpenAPI document", () => {
  test("describes the path of every route file, and no other", () => {
    const served = Object.keys(routes).map((path) => path.replace(/\[(\w+)\]/g, "{$1}"));
    expect(Object.keys(document.paths).sort()).toEqual(served.sort());
  });

  test("resolves every reference", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, name = ""] of references) expect(document.components.schemas).toHaveProperty(name);
    expect(JSON.stringify(document)).not.toContain("$schema");
  });

  test("has unique operation ids, and path parameters that match the path", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const named = operation.parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name }) => name);
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  test("declares 503 for every operation that needs the store, the chain or Mattermost", () => {
    const needing = operations.filter(({ path }) => /^\/api\/(auth|chat)\/|^\/\.well-known\/jwks/.test(path));
    expect(needing.length).toBeGreaterThan(20);
    for (const { path, operation } of needing) expect(operation.responses, path).toHaveProperty("503");
  });

  test("lists every code in the error body", () => {
    expect(document.components.schemas.Failure?.properties?.code?.enum).toEqual(
      errorTable.map(({ code }) => code),
    );
  });

  test("describes all of a facilitator's capabilities, and its health", () => {
    const fieldsOf = (name: string) => Object.keys(document.components.schemas[name]?.properties ?? {});
    expect(fieldsOf("Supported")).toEqual(["kinds", "extensions", "signers"]);
    expect(fieldsOf("FacilitatorHealth")).toEqual(
      expect.arrayContaining(["headBlock", "chainLagSeconds", "store", "failing", "clockAheadSeconds"]),
    );
  });

  test("lists every reason for refusal in payment answers, and codes of failures", () => {
    const codesOf = (schema: string, field: string) =>
      document.components.schemas[schema]?.properties?.[field]?.enum ?? [];
    expect(codesOf("VerifyResponse", "invalidReason")).toEqual(reasons);
    expect(codesOf("SettleResponse", "errorReason")).toEqual(reasons);
    expect(codesOf("VerifyFailure", "invalidReason")).toEqual(
      expect.arrayContaining(["invalid_payload", "degraded", "internal", "chain_unavailable"]),
    );
    expect(codesOf("PaymentRequired", "code")).toEqual(
      expect.arrayContaining(["payment_required", "payment_rejected", "payment_replayed"]),
    );
  });

  test("has a remedy for each code of a refused payment, and of a client that did not pay", () => {
    const remedies = document["x-payment-codes"];
    const common = errorTable.map(({ code }) => code as string);
    expect(remedies.map(({ code }) => code)).toEqual(
      expect.arrayContaining(reasons.filter((reason) => !common.includes(reason))),
    );
    expect(document["x-payment-error-codes"].map(({ code }) => code).sort()).toEqual(
      [...paymentErrorCodes].sort(),
    );
    for (const { code, remedy } of [...remedies, ...document["x-payment-error-codes"]])
      expect(remedy, code).toMatch(/\w{3}/);
  });

  test("marks operations that require no token", () => {
    const open = operations
      .filter(({ operation }) => operation.security.length === 0)
      .map(({ path }) => path);
    expect(open).toContain("/api/chat/bootstrap");
    expect(open).toContain("/api/chat/users/{userId}/image");
    expect(open.filter((path) => path.startsWith("/api/chat/"))).toHaveLength(2);
  });

  test("describes answers without a body: an upgrade, and an unchanged picture", () => {
    const socket = document.paths["/api/chat/websocket"]?.get;
    expect(Object.keys(socket?.responses ?? {})).toEqual(
      expect.arrayContaining(["101", "400", "401", "403", "429", "502", "504"]),
    );
    expect(socket?.responses).not.toHaveProperty("200");
    expect(socket?.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["token", "connection_id", "sequence_number"]),
    );
    const image = document.paths["/api/chat/users/{userId}/image"]?.get;
    expect(Object.keys(image?.responses ?? {})).toEqual(expect.arrayContaining(["200", "304", "404"]));
  });

  test("describes a request body by the schema that checks it", () => {
    expect(document.paths["/api/chat/channels/{channelId}/posts"]?.post?.requestBody).toMatchObject({
      content: { "application/json": { schema: { type: "object", required: ["message"] } } },
    });
    expect(document.paths["/api/chat/bootstrap"]?.post?.requestBody).toMatchObject({
      content: {
        "application/json": {
          schema: {
            required: ["username", "accessToken"],
            properties: {
              username: { type: "string" },
              accessToken: { type: "string" },
              ...Object.fromEntries(
                ["refreshToken", "displayName", "community", "communityTitle"].map((name) => [
                  name,
                  { type: ["string", "null"] },
                ]),
              ),
            },
          },
        },
      },
    });
    const page = document.paths["/api/chat/channels/{channelId}/posts"]?.get?.parameters;
    expect(page).toContainEqual(expect.objectContaining({ name: "per_page", in: "query", required: false }));
  });
});
