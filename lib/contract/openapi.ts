import { type ZodType, z } from "zod";
import { errorTable } from "../errors.ts";
import { paymentErrorCodes } from "../x402/client/payment-error.ts";
import { type AnswerName, answers } from "./answers.ts";
import { type Operation, operations } from "./operations.ts";

const OPENAPI_VERSION = "3.1.0";
const BODY_FAILURES = [400, 413, 415];
/** What every call to the backend can end in. */
const CHAT_FAILURES = [401, 403, 404, 502, 503, 504];

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, assembled from the schemas that check the requests. */
export function createOpenApi(serverUrl: string): Json {
  const paths = Object.entries(operations).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, describe(method, path, operation)]),
    ),
  ]);
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: "Hivegate",
      version: "0.1.0",
      description: "Team chat with chain identity, and pay-per-request content in HBD.",
    },
    servers: [{ url: serverUrl }],
    "x-error-codes": errorTable,
    "x-payment-error-codes": paymentErrorCodes,
    paths: Object.fromEntries(paths),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "the PAT from bootstrap" },
        cookie: { type: "apiKey", in: "cookie", name: "chat_pat" },
      },
    },
  };
}

function describe(method: string, path: string, operation: Operation): Json {
  const { summary, auth, body, query, failureAnswers = {} } = operation;
  const isOpen = auth === "none";
  const failures = new Set([
    ...(operation.failures ?? []),
    ...Object.keys(failureAnswers).map(Number),
    ...(body ? BODY_FAILURES : []),
    ...(query ? [400] : []),
    ...(path.startsWith("/api/chat/") ? CHAT_FAILURES.filter((status) => !isOpen || status > 499) : []),
    ...(method === "get" ? [] : [429]),
  ]);
  return {
    operationId: operationId(method, path),
    summary,
    tags: [path.split("/")[2] ?? "api"],
    security: isOpen ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && {
      requestBody: { required: true, content: content(plain(z.toJSONSchema(body, { io: "input" }))) },
    }),
    responses: Object.fromEntries([
      ...successes(operation),
      ...[...failures].sort().map((status) => [String(status), failure(status, failureAnswers[status])]),
    ]),
  };
}

function successes({ answer, isTagged }: Operation): [status: string, response: Json][] {
  const bare = (description: string) => ({ description, content: {} });
  if (typeof answer !== "string" && "upgrade" in answer) return [["101", bare("Switching Protocols")]];
  const full = typeof answer === "string" ? content(reference(answer)) : { [answer.mediaType]: {} };
  const success: [string, Json] = ["200", { description: "Success", content: full }];
  return isTagged ? [success, ["304", bare("Not Modified")]] : [success];
}

function failure(status: number, answer: AnswerName = status === 402 ? "PaymentRequired" : "Failure"): Json {
  const schema = reference(answer);
  return { description: status === 402 ? "Payment required" : "Failure", content: content(schema) };
}

const reference = (name: AnswerName): Json => ({ $ref: `#/components/schemas/${name}` });

const content = (schema: Json): Json => ({ "application/json": { schema } });

function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(answers)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: "input" });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** Without the members that name the dialect and the place of a schema that stands alone. */
function plain(schema: object): Json {
  const { $schema: _dialect, $id: _place, "~standard": _standard, ...rest } = schema as Json;
  return rest;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name?.endsWith("Id") ? { type: "string", pattern: "^[a-z0-9]{26}$" } : { type: "string" },
  }));
}

function queryParameters(query: ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: "output" });
  const required = new Set(z.toJSONSchema(query, { io: "input" }).required);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.has(name),
    schema,
  }));
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "api");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
