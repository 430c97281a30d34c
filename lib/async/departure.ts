type Listener = { handleEvent(): void };

/** The part of an `AbortSignal` that most work needs. */
export type AbortEvent = {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: Listener): void;
  removeEventListener(type: "abort", listener: Listener): void;
};

/**
 * Signals that the caller of a request has disconnected. Creates an `AbortSignal` only for work that needs
 * one, because that costs as much as the rest of a short request.
 */
export class Departure implements AbortEvent {
  aborted = false;
  reason: unknown;
  #controller: AbortController | undefined;
  #listeners: Set<Listener> | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners?.delete(listener);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = new DOMException("This operation was aborted", "AbortError");
    this.#controller?.abort(this.reason);
    for (const listener of [...(this.#listeners ?? [])]) listener.handleEvent();
  }
}
