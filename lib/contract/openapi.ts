import { type ZodType, z } from "zod";
import { errorTable } from "../errors.ts";
import { PAT_COOKIE, PAT_COOKIE_SECONDS } from "../http/token.ts";
import { BODY_LIMIT_BYTES } from "../http/validate.ts";
import { MATTERMOST_ID } from "../mattermost-id.ts";
import {
  describeRefusal,
  refusalCodes,
  rejectionCodes,
  rejections,
  unavailableCodes,
} from "../x402/paywall/refusals.ts";
import { answers } from "./answers.ts";
import { exampleOf, type Json, type Schema, type Schemas } from "./examples.ts";
import { describeQuota, failureResponses, quotasOf } from "./failures.ts";
import type { Operation, Operations, Price } from "./limits.ts";
import { operations, tags } from "./operations.ts";
import { clientRemedies, refusalRemedies, rejectionRemedies } from "./payment-remedies.ts";

const OPENAPI_VERSION = "3.1.0";
const LICENCE = { name: "MIT", url: "https://opensource.org/license/mit" };
const DESCRIPTION = [
  "Team chat with chain identity, and pay-per-request content in HBD.",
  `Every refusal is JSON with \`error\` (one sentence), \`code\` and \`requestId\`, which is also in the \`x-request-id\` header. Any operation can fail with 500 \`internal\`. A request body is \`application/json\` of up to ${BODY_LIMIT_BYTES / 1024} KiB, unless an operation says otherwise.`,
  "429 and 503 contain `Retry-After`, the seconds to wait before retrying. If a quota applies, `RateLimit` reports the remaining requests (`r`) and the seconds until it is full again (`t`).",
].join("\n\n");

/** The part of the document that is the same for every reader: everything except the server's address. */
let assembled: Json | undefined;

/** Returns the API as an OpenAPI 3.1 document, assembled from the schemas that validate the requests. */
export function createOpenApi(serverUrl: string): Json {
  assembled ??= assemble();
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: "Hivegate",
      version: "1.0.0",
      description: DESCRIPTION,
      contact: { name: "The operator of this server", url: serverUrl },
      license: LICENCE,
    },
    servers: [{ url: serverUrl }],
    ...assembled,
  };
}

function assemble(): Json {
  const schemas = componentSchemas();
  const paths = Object.entries<Operations[string]>(operations).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        describe(path, method, operation, schemas),
      ]),
    ),
  ]);
  return {
    tags: tags
      .map(({ name, title, description }) => ({ name, description, "x-displayName": title }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    "x-error-codes": errorTable,
    "x-payment-codes": paymentCodes,
    "x-payment-error-codes": paymentErrorCodes,
    paths: Object.fromEntries(paths),
    components: { schemas, securitySchemes },
  };
}

const ofErrors = new Set<string>(errorTable.map(({ code }) => code));
const isUnavailable = (code: string) => unavailableCodes.some((known) => known === code);

/** Error codes of a paywall in addition to the common ones. */
const paymentCodes = [
  ...refusalCodes
    .filter((code) => !ofErrors.has(code))
    .map((code) => ({
      code,
      status: isUnavailable(code) ? 503 : 402,
      text: describeRefusal(code, "0.050 HBD"),
      remedy: refusalRemedies[code as keyof typeof refusalRemedies],
    })),
  ...rejectionCodes.map((code) => {
    const { status, error } = rejections[code];
    return { code, status, text: error, remedy: rejectionRemedies[code] };
  }),
];

const paymentErrorCodes = Object.entries(clientRemedies).map(([code, words]) => ({ code, ...words }));

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "The PAT: `token` of `POST /api/chat/bootstrap`. It does not expire on its own; `POST /api/chat/logout` revokes it.",
  },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: PAT_COOKIE,
    description: `The PAT, set by bootstrap for pages of the same site. Browsers store it for ${PAT_COOKIE_SECONDS / 86_400} days.`,
  },
  metrics: { type: "http", scheme: "bearer", description: "The operator's `METRICS_TOKEN`." },
};

const security = {
  none: [],
  metrics: [{ metrics: [] }],
  pat: [{ bearer: [] }, { cookie: [] }],
};

function describe(path: string, method: string, operation: Operation, schemas: Schemas): Json {
  const { summary, description, auth = "pat", body, file, isBodyOptional, query, price } = operation;
  const quotas = quotasOf(method, operation);
  return {
    operationId: operationId(method, path),
    summary,
    description,
    tags: [path.split("/")[2] ?? "api"],
    security: security[auth],
    ...(quotas.length > 0 && { "x-rate-limits": quotas.map(describeQuota) }),
    ...(price && { "x-payment-info": paymentInfo(price) }),
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && {
      requestBody: {
        required: !isBodyOptional,
        content: content(plain(z.toJSONSchema(body, { io: "input" })), schemas),
      },
    }),
    ...(file && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          file.map((type) => [type, { schema: { type: "string", format: "binary" } }]),
        ),
      },
    }),
    responses: Object.fromEntries([
      ...successes(operation, schemas),
      ...failureResponses([path, method, operation], schemas),
    ]),
  };
}

/** Returns a price in the form that x402 crawlers read. */
const paymentInfo = (price: Price): Json => ({
  price: { mode: "amount" in price ? "fixed" : "dynamic", currency: "HBD", ...price },
  protocols: [{ x402: {} }],
});

function successes({ answer, isTagged }: Operation, schemas: Schemas): [status: string, response: Json][] {
  const bare = (description: string) => ({ description, content: {} });
  if (typeof answer !== "string" && "upgrade" in answer) return [["101", bare("Switching Protocols")]];
  const full =
    typeof answer === "string"
      ? content({ $ref: `#/components/schemas/${answer}` }, schemas)
      : { [answer.mediaType]: {} };
  const success: [string, Json] = ["200", { description: "Success", content: full }];
  return isTagged ? [success, ["304", bare("Not Modified")]] : [success];
}

const content = (schema: Schema, schemas: Schemas): Json => ({
  "application/json": { schema, example: exampleOf(schema, schemas) },
});

function componentSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(answers)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: "input" });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** Returns a schema without the fields that name its dialect and location. */
function plain(schema: object): Schema {
  const { $schema: _dialect, $id: _place, "~standard": _standard, ...rest } = schema as Json;
  return rest as Schema;
}

const idExamples: Readonly<Record<string, string>> = {
  channelId: "c",
  fileId: "f",
  postId: "p",
  userId: "u",
};

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const letter = idExamples[name];
    return {
      name,
      in: "path",
      required: true,
      description: letter ? `id of the ${name.slice(0, -2)}; anything else is 404` : "name of the article",
      schema: letter ? { type: "string", pattern: MATTERMOST_ID.source } : { type: "string" },
      example: letter?.repeat(26) ?? "three-seconds-and-no-fee",
    };
  });
}

function queryParameters(query: ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: "output" });
  const required = new Set(z.toJSONSchema(query, { io: "input" }).required);
  return Object.entries(properties as Record<string, Schema & { description?: string }>).map(
    ([name, schema]) => {
      const { description, ...rest } = schema;
      return { name, in: "query", required: required.has(name), description, schema: rest };
    },
  );
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "api");
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
