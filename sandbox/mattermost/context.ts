import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { Database, Page } from "./database.ts";
import { refuse } from "./errors.ts";
import type { Flavour, NewEvent } from "./event-bus.ts";
import { type Clock, isId } from "./id.ts";
import type { SessionRow } from "./model/users.ts";

/** One request as a handler sees it. */
export type Context = {
  mattermost: Mattermost;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  rawBody: Uint8Array;
  /** The caller's session; null only on public routes. */
  session: SessionRow | null;
};

/** Returns the id of the caller. */
export function callerId(context: Context): string {
  return context.session?.user_id ?? "";
}

/** Returns a path parameter. */
export function param(context: Context, name: string): string {
  return context.params[name] ?? "";
}

const DEFAULT_PAGE_SIZE = 60;
const MAX_PAGE_SIZE = 200;

/** Reads a whole number from the query. Anything else, including a negative number, counts as missing. */
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
    // The body is not JSON: the caller's error names the expected field.
    return null;
  }
}

/**
 * Reads the body by a schema.
 * @throws ApiError naming the first invalid field, or `name` if the whole body has another form.
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

/**
 * Reads a body that is an array of strings, without duplicates. @throws ApiError if the body is no such
 * array, or is empty.
 */
export function readStrings(context: Context, name: string): string[] {
  const json = parseJson(context);
  const result = Strings.safeParse(json?.value);
  if (!result.success) {
    if (context.mattermost.isV11) refuse("api.payload.parse.error");
    refuse("api.context.invalid_body_param.app_error", name);
  }
  const strings = [...new Set(result.data)];
  if (strings.length === 0) refuse("api.context.invalid_body_param.app_error", name);
  return strings;
}

/** Like `readStrings`, and requires every string to be an id. */
export function readIds(context: Context, name: string): string[] {
  const ids = readStrings(context, name);
  if (!ids.every(isId)) refuse("api.context.invalid_body_param.app_error", name);
  return ids;
}

export type Settings = {
  flavour: Flavour;
  /** Maximum number of active users. Further users are refused with the error of an unlicensed server. */
  maxUsers: number;
  enableUserAccessTokens: boolean;
  /** True if anyone can sign up without an invitation. */
  enableOpenServer: boolean;
  /** Maximum number of members in a team. */
  maxUsersPerTeam: number;
  /** True if users see each other's e-mail addresses. */
  showEmailAddress: boolean;
  siteUrl: string;
};

/** The dependencies of all routes and actions. */
export type Mattermost = {
  db: Database;
  clock: Clock;
  settings: Settings;
  isV11: boolean;
  serverVersion: string;
  /**
   * Publishes an event. Inside a transaction the event waits for the commit, so that no client hears of
   * changes that are not stored.
   */
  publish(event: NewEvent): void;
  /** Runs `work` and publishes its events completely, or not at all. */
  transact<T>(work: () => T): T;
};

/** Creates a Mattermost from a database and a listener for events. */
export function createMattermost(options: {
  db: Database;
  clock: Clock;
  settings: Settings;
  deliver: (event: NewEvent) => void;
}): Mattermost {
  const { db, clock, settings, deliver } = options;
  let waiting: NewEvent[] = [];
  const isV11 = settings.flavour === "v11";
  const version = isV11 ? "11.2.0" : "7.0.0";
  return {
    db,
    clock,
    settings,
    isV11,
    // The third part of the version tells clients that settings changed.
    get serverVersion() {
      const digest = createHash("md5").update(JSON.stringify(settings)).digest("hex");
      return `${version}.${version}.${digest}.false`;
    },
    publish(event) {
      if (db.isInTransaction()) waiting.push(event);
      else deliver(event);
    },
    transact(work) {
      if (db.isInTransaction()) return work();
      try {
        const result = db.transact(work);
        const events = waiting;
        waiting = [];
        for (const event of events) deliver(event);
        return result;
      } catch (error) {
        waiting = [];
        throw error;
      }
    },
  };
}
