import { expect } from "vitest";
import { answers } from "../../lib/contract/answers.ts";
import type { Operations } from "../../lib/contract/limits.ts";
import { createOpenApi } from "../../lib/contract/openapi.ts";
import { operations } from "../../lib/contract/operations.ts";

type Described = {
  paths: Record<string, Record<string, { responses: Record<string, { "x-codes"?: string[] }> }>>;
};

const declared: Operations = operations;
const document = createOpenApi("http://localhost") as Described;

/** Paths with fixed segments come first, as in the server's lookup. */
const templates = Object.keys(document.paths)
  .sort((one, two) => one.split("{").length - two.split("{").length)
  .map((path) => ({ path, shape: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`) }));

/**
 * Checks a gateway's answer against the OpenAPI document: its status is described, its JSON has exactly the
 * described fields, and a refusal has one of the described codes. Answers of other servers, and answers
 * outside of operations, pass.
 */
export function checkAnswer(method: string, url: string, status: number, body: unknown): void {
  const { pathname } = new URL(url);
  const path = templates.find(({ shape }) => shape.test(pathname))?.path;
  const name = method.toLowerCase();
  const described = path === undefined ? undefined : document.paths[path]?.[name];
  if (path === undefined || described === undefined) return;
  const place = `${method} ${path} answered ${status}`;
  expect(Object.keys(described.responses), place).toContain(String(status));
  const codes = described.responses[status]?.["x-codes"];
  if (codes) expect(codes, place).toContain((body as { code?: unknown }).code);
  const { answer, failureAnswers } = declared[path]?.[name as "get"] ?? {};
  const expected = status < 400 ? answer : (failureAnswers?.[status] ?? "Failure");
  if (status === 402 || typeof expected !== "string") return;
  const schema = answers[expected];
  const parsed = schema.safeParse(body);
  expect(parsed.error?.issues ?? [], place).toEqual([]);
  expect(body, `${place} with fields that are not described`).toEqual(parsed.data);
}

/** Returns an answer's JSON, checked against the document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into what they know to be there.
export async function readChecked(method: string, response: Response): Promise<any> {
  const body: unknown = await response.json();
  checkAnswer(method, response.url, response.status, body);
  return body;
}
