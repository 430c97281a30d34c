import type { z } from "zod";
import type { BytesAnswer } from "../async/bytes-answer.ts";
import type { JsonAnswer } from "../async/json-answer.ts";
import type { AnswerName, answers } from "../contract/answers.ts";
import type { Operation } from "../contract/limits.ts";
import { operations } from "../contract/operations.ts";
import type { RequestRules } from "../http/request-rules.ts";
import { createRoute, type Endpoints, type RouteContext } from "../http/route.ts";
import type { RouteModule } from "../http/route-table.ts";
import { processServices } from "./process-services.ts";
import type { Services } from "./services.ts";

type Paths = typeof operations;

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type Parsed<Rules, Field extends "body" | "query"> =
  Rules extends Record<Field, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined;

type Pat<Rules> = Rules extends { auth: "none" | "metrics" } ? null : string;

/** The value that an operation answers with, or a whole answer if it needs its own headers or status. */
type Answer<Rules> = Rules extends { answer: infer Name extends AnswerName }
  ? z.input<(typeof answers)[Name]> | Response | JsonAnswer | BytesAnswer
  : unknown;

type Handler<Path, Rules> = (
  context: RouteContext<
    Services,
    Readonly<Record<NamesIn<Path>, string>>,
    Parsed<Rules, "body">,
    Parsed<Rules, "query">,
    Pat<Rules>
  >,
) => Answer<Rules> | Promise<Answer<Rules>>;

type Handlers<Path extends keyof Paths> = {
  [Method in Uppercase<keyof Paths[Path] & string>]: Handler<
    Path,
    Paths[Path][Lowercase<Method> & keyof Paths[Path]]
  >;
};

/**
 * Returns the rules that a route checks for an operation. A websocket's token is checked during its
 * handshake; a request without a handshake only gets a refusal.
 */
const rulesOf = (operation: Operation): RequestRules =>
  typeof operation.answer !== "string" && "upgrade" in operation.answer ? { auth: "none" } : operation;

/**
 * Creates the route of a path of the contract (`lib/contract/operations.ts`) from the handlers of its operations. Each
 * handler receives the input that its operation validates, and answers as the operation declares.
 */
export function route<Path extends keyof Paths>(path: Path, handlers: Handlers<NoInfer<Path>>): RouteModule {
  const declared: Readonly<Record<string, Operation>> = operations[path];
  const endpoints = Object.entries(handlers).map(([method, handler]) => {
    const operation = declared[method.toLowerCase()];
    if (!operation) throw new Error(`${method} ${path} is not an operation of the contract`);
    return [method, { rules: rulesOf(operation), handler }];
  });
  return createRoute(path, Object.fromEntries(endpoints) as Endpoints<Services>, processServices);
}
