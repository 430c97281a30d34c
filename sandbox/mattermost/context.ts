import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Backend } from "./backend.ts";
import type { Page } from "./database.ts";
import { refuse } from "./errors.ts";
import { isId } from "./id.ts";
import type { SessionRow } from "./model/users.ts";

/** One request as a handler sees it. */
export type Context = {
  backend: Backend;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  rawBody: Uint8Array;
  /** Null only on public routes. */
  session: SessionRow | null;
};

/** The id of the caller. */
export function callerId(context: Context): string {
  return context.session?.user_id ?? "";
}

/** A path parameter. */
export function param(context: Context, name: string): string {
  return context.params[name] ?? "";
}

const DEFAULT_PAGE_SIZE = 60;
const MAX_PAGE_SIZE = 200;

/** A whole number of the query; what is no such number, or negative, counts as left out. */
export function queryNumber(context: Context, name: string, fallback: number): number {
  const text = context.query.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : fallback;
}

export function queryFlag(context: Context, name: string): boolean {
  return context.query.get(name) === "true";
}

export function readPage(context: Context, sizeName = "per_page"): Page {
  const limit = Math.min(queryNumber(context, sizeName, DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
  return { limit, offset: queryNumber(context, "page", 0) * limit };
}

function parseJson(context: Context): { value: unknown } | null {
  try {
    return { value: JSON.parse(Buffer.from(context.rawBody).toString("utf8")) };
  } catch {
    // No JSON at all: the caller names what was expected.
    return null;
  }
}

/**
 * The body by a schema.
 *
 * @throws ApiError naming the first bad field, or `name` when the whole is not of that form.
 */
export function readBody<T>(context: Context, schema: z.ZodType<T>, name: string): T {
  const json = parseJson(context);
  if (!json) refuse("api.context.invalid_body_param.app_error", name);
  const result = schema.safeParse(json.value);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.find((part) => typeof part === "string");
  refuse("api.context.invalid_body_param.app_error", field ?? name);
}

const Strings = z.array(z.string());

/** A body that is an array of strings, each once. @throws ApiError when it is not, or is empty. */
export function readStrings(context: Context, name: string): string[] {
  const json = parseJson(context);
  const result = Strings.safeParse(json?.value);
  if (!result.success) {
    if (context.backend.isV11) refuse("api.payload.parse.error");
    refuse("api.context.invalid_body_param.app_error", name);
  }
  const strings = [...new Set(result.data)];
  if (strings.length === 0) refuse("api.context.invalid_body_param.app_error", name);
  return strings;
}

/** Like `readStrings`, and every one an id. */
export function readIds(context: Context, name: string): string[] {
  const ids = readStrings(context, name);
  if (!ids.every(isId)) refuse("api.context.invalid_body_param.app_error", name);
  return ids;
}
