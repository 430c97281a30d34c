import { setTimeout as wait } from "node:timers/promises";
import { request } from "undici";

const CALL_MS = 10_000;
const POLL_MS = 1000;
const TELL_MS = 10_000;

/** The reason why a Mattermost could not be set up; `message` ends with the next step. */
export class SeedError extends Error {
  readonly code: SeedErrorCode;

  constructor(code: SeedErrorCode, message: string) {
    super(message);
    this.name = "SeedError";
    this.code = code;
  }
}

export const seedErrorCodes = [
  "unreachable",
  "has_other_users",
  "other_server",
  "settings_held",
  "refused",
] as const;
type SeedErrorCode = (typeof seedErrorCodes)[number];

/** Mattermost's answer; `token` belongs to the session that a login began. */
export type Answer = { status: number; body: unknown; token: string | null };
export type Ask = (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<Answer>;

/**
 * Creates calls to a Mattermost server, with a token or anonymously. `baseUrl` ends in `/api/v4`. A call
 * takes up to 10 s.
 */
export function callsAs(baseUrl: string, token?: string): Ask {
  return async (method, path, body) => {
    const answer = await request(baseUrl + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headersTimeout: CALL_MS,
      bodyTimeout: CALL_MS,
    });
    const text = await answer.body.text();
    const session = answer.headers.token;
    return {
      status: answer.statusCode,
      body: parsed(text),
      token: typeof session === "string" ? session : null,
    };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The server is not Mattermost.
    return null;
  }
}

/**
 * Waits until the server and its database answer, and reports every 10 seconds what is missing.
 * @throws SeedError `unreachable` after `waitMs`, and at once if the address only lacks `/api/v4`
 */
export async function awaitMattermost(
  baseUrl: string,
  waitMs: number,
  say: (line: string) => void,
): Promise<void> {
  const ask = callsAs(baseUrl);
  const whole = `${baseUrl.replace(/\/+$/, "")}/api/v4`;
  const startedAtMs = performance.now();
  let toldAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const trouble = await troubleOf(ask);
    if (trouble === null) return;
    if (!baseUrl.endsWith("/api/v4") && (await troubleOf(callsAs(whole))) === null)
      throw new SeedError(
        "unreachable",
        `Mattermost's calls are at ${whole}: run this again with that address.`,
      );
    const now = performance.now();
    const seconds = Math.round((now - startedAtMs) / 1000);
    if (now - startedAtMs > waitMs)
      throw new SeedError(
        "unreachable",
        `${baseUrl} was not ready within ${seconds} s: ${trouble}. Start the Mattermost server, check its log, or correct the address: it ends in /api/v4.`,
      );
    if (now - toldAtMs > TELL_MS) {
      say(`Waiting for Mattermost at ${baseUrl} (${seconds} s): ${trouble}`);
      toldAtMs = now;
    }
    await wait(POLL_MS);
  }
}

/** Returns the problem that makes the server unusable, or null. */
async function troubleOf(ask: Ask): Promise<string | null> {
  try {
    const { status, body } = await ask("GET", "/system/ping?get_server_status=true");
    const said = (body as { status?: unknown } | null)?.status;
    if (status === 200 && said === "OK") return null;
    return said === undefined ? `status ${status}, not from a Mattermost server` : `it says ${String(said)}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code ?? message;
  }
}

/** Returns the body of a successful answer. @throws SeedError `refused` */
export function demand({ status, body }: Answer, what: string): unknown {
  if (status >= 300) throw refusal(what, status);
  return body;
}

/** Creates the error for a server that failed to do something. */
export const refusal = (what: string, status: number) =>
  new SeedError("refused", `Mattermost did not ${what} (${status}). Check its log, then run this again.`);
