import type { Dispatcher } from "undici";
import type { ChunkReceiver, PushedBody } from "../async/pushed-body.ts";
import { type Deadline, headerIn } from "./exchange.ts";

/**
 * An answer whose head has arrived. Its body is pushed to its receiver as it arrives, and rests in the
 * connection until then.
 */
export class PushedAnswer implements PushedBody {
  status = 0;
  /** Resolves once the answer's connection is free again. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  #headers: readonly Buffer[] = [];
  #receiver: ChunkReceiver | null = null;
  #isCut = false;
  /** The end of the body, with the error of a broken one. */
  #outcome: { error: unknown } | "complete" | null = null;
  #abort: () => void = () => undefined;
  #resume: () => void = () => undefined;

  private constructor() {
    let end: () => void = () => undefined;
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
  }

  /** Sends a request, and resolves at the final head of its answer. It fails at the deadline. */
  static ask(
    pool: Dispatcher,
    request: Dispatcher.DispatchOptions,
    deadline: Deadline,
  ): Promise<PushedAnswer> {
    return new Promise((resolve, reject) => {
      const answer = new PushedAnswer();
      deadline.onEnd(() => {
        answer.cut();
        reject(new Error("aborted"));
      });
      pool.dispatch(request, {
        onConnect(abort) {
          if (answer.#isCut) abort();
          answer.#abort = abort;
        },
        onHeaders(status, headers, resume) {
          // Informational responses precede the final one.
          if (status < 200) return true;
          answer.status = status;
          answer.#headers = headers ?? [];
          answer.#resume = resume;
          resolve(answer);
          // Without a body there is nothing to wait for, and the connection becomes free.
          return status === 204 || status === 304;
        },
        onData: (chunk) => answer.#receiver?.chunk(chunk) ?? true,
        onComplete() {
          answer.#finish("complete");
        },
        onError(error) {
          answer.#finish({ error });
          reject(error);
        },
      });
    });
  }

  header(name: string): string | undefined {
    return headerIn(this.#headers, name);
  }

  begin(receiver: ChunkReceiver): void {
    this.#receiver = receiver;
    if (this.#outcome) this.#report(this.#outcome);
    else this.#resume();
  }

  resume(): void {
    // The connection may serve another answer already.
    if (!this.#outcome) this.#resume();
  }

  cancel(): void {
    this.#receiver = null;
    this.cut();
  }

  /** Breaks the answer off; its receiver learns of that. */
  cut(): void {
    this.#isCut = true;
    if (!this.#outcome) this.#abort();
  }

  #finish(outcome: { error: unknown } | "complete"): void {
    this.#outcome = outcome;
    this.#end();
    this.#report(outcome);
  }

  #report(outcome: { error: unknown } | "complete"): void {
    const receiver = this.#receiver;
    this.#receiver = null;
    if (outcome === "complete") receiver?.end();
    else receiver?.fail(outcome.error);
  }
}
