import { asRead } from "./broken-answer.ts";
import type { Question } from "./network.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/**
 * Creates the `fetch` of a process in its present life. A dead process sends nothing, even at the moment of its death.
 * `observe` sees each question before it is sent, and may change it.
 */
export function fetchFrom(
  process: SimulatedProcess,
  observe: (question: Question) => void,
): (input: RequestInfo | URL, init?: RequestInit) => Promise<Response> {
  const { life } = process;
  return async (input, init = {}) => {
    const question: Question = {
      url: String(input),
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: undefined,
      signal: init.signal ?? undefined,
    };
    if (!process.isAlive || process.life !== life) return new Promise(() => {});
    observe(question);
    return asRead(await process.ask(question));
  };
}
