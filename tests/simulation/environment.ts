import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createRequire } from "node:module";
import { BlockList, isIP } from "node:net";
import type { Answer } from "./network.ts";
import type { Environment, LoadProduct } from "./product.ts";
import { SimulatedContext } from "./simulated-context.ts";
import type { SimulatedProcess, Slot, Timer } from "./simulated-process.ts";

const require = createRequire(import.meta.url);

/**
 * Loads the payment code once for use by many processes in turn, each with its own clocks, network and
 * randomness.
 */
export function createSlot(load: LoadProduct): Slot {
  let current: SimulatedProcess | null = null;
  const process = () => {
    if (!current) throw new Error("no process runs here");
    return current;
  };
  const product = load(createEnvironment(process));
  return {
    product,
    occupy(next) {
      current = next;
    },
  };
}

function createEnvironment(process: () => SimulatedProcess): Environment {
  class SimulatedDate extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [process().wallMs()] : given) as [number]));
    }
    static override now = () => Math.floor(process().wallMs());
  }
  const setTimeout = (work: (...all: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    process().setTimer(() => work(...given), ms);
  const setInterval = (work: (...all: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    process().setTimer(() => work(...given), ms, { isRepeated: true });
  const clear = (timer: Timer | undefined | null) => {
    if (timer) timer.isCancelled = true;
  };
  const getRandomValues = <T extends Uint8Array>(bytes: T) => bytes.map(() => process().random.next() * 256);
  const fill = <T extends Uint8Array>(bytes: T) => {
    bytes.set(getRandomValues(bytes));
    return bytes;
  };
  const crypto = { getRandomValues: fill, randomUUID: () => uuidOf(fill(new Uint8Array(16))) };
  const globals: Record<string, unknown> = {
    Date: SimulatedDate,
    performance: {
      get timeOrigin() {
        return process().timeOrigin;
      },
      now: () => process().monotonicMs(),
    },
    fetch: createFetch(process),
    crypto,
    AbortSignal: createAbortSignals(process),
    setTimeout,
    clearTimeout: clear,
    setInterval,
    clearInterval: clear,
    setImmediate: (work: () => void) => setTimeout(work, 0),
  };
  globals.globalThis = Object.create(globalThis, Object.getOwnPropertyDescriptors(globals));
  const modules = {
    "node:async_hooks": { AsyncLocalStorage: SimulatedContext },
    "node:crypto": {
      createHash,
      ...crypto,
      webcrypto: crypto,
      randomBytes: (n: number) => fill(Buffer.alloc(n)),
    },
    "node:events": { setMaxListeners },
    // Only the catalogue looks up names, and no simulated seller asks to be listed.
    "node:dns": {},
    "node:net": { BlockList, isIP },
    "node:module": { createRequire: () => require },
    "node:timers/promises": { setTimeout: createWait(process) },
    "node:perf_hooks": { performance: globals.performance },
    undici: createUndici(process),
  };
  return { globals, modules };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The promise form of `setTimeout`. */
function createWait(process: () => SimulatedProcess) {
  return (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<unknown>((resolve, reject) => {
      const stop = () => {
        timer.isCancelled = true;
        reject(new DOMException("The operation was aborted", "AbortError"));
      };
      const timer = process().setTimer(() => {
        signal?.removeEventListener("abort", stop);
        resolve(value);
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    });
}

const TOO_LATE = new DOMException("The operation was aborted due to timeout", "TimeoutError");

/**
 * Creates abort signals that expire by virtual time. Node's `any` holds its sources weakly, so that garbage
 * collection could change a run.
 */
function createAbortSignals(process: () => SimulatedProcess) {
  return {
    abort: (reason?: unknown) => AbortSignal.abort(reason),
    timeout(ms: number) {
      const controller = new AbortController();
      process().setTimer(() => controller.abort(TOO_LATE), ms);
      return controller.signal;
    },
    any(signals: readonly AbortSignal[]) {
      const controller = new AbortController();
      for (const signal of signals) {
        setMaxListeners(0, signal);
        if (signal.aborted) controller.abort(signal.reason);
        else signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
      }
      return controller.signal;
    },
  };
}

function createFetch(process: () => SimulatedProcess) {
  return async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const { body } = init;
    const question = {
      url: input instanceof Request ? input.url : String(input),
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof body === "string" ? body : body ? Buffer.from(body as Uint8Array).toString() : undefined,
      signal: init.signal ?? undefined,
    };
    const answer = await process()
      .ask(question)
      .catch((error: unknown) => {
        throw init.signal?.aborted ? error : new TypeError("fetch failed", { cause: error });
      });
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };
}

/** Creates the part of undici that the chain client uses. */
function createUndici(process: () => SimulatedProcess) {
  class Agent {
    async close() {}
    async destroy() {}
  }
  type Given = { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal };
  const request = async (url: string | URL, { method = "GET", headers = {}, body, signal }: Given = {}) => {
    const answer: Answer = await process().ask({ url: String(url), method, headers, body, signal });
    return { statusCode: answer.status, headers: answer.headers, body: bodyOf(answer) };
  };
  return { Agent, request };
}

function bodyOf({ body }: Answer) {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(body);
    },
    async text() {
      return body;
    },
    async dump() {},
  };
}
