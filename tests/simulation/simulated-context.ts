import { AsyncLocalStorage } from "node:async_hooks";

const contexts = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/**
 * Takes the place of `AsyncLocalStorage`. Node visits each storage at every promise and never forgets one, so all those
 * of many runs share a single one.
 */
export class SimulatedContext<Value> {
  run<Result>(value: Value, work: () => Result): Result {
    return contexts.run(new Map([...(contexts.getStore() ?? []), [this, value]]), work);
  }
  getStore(): Value | undefined {
    return contexts.getStore()?.get(this) as Value | undefined;
  }
}

/** Ends all contexts, so that the next run pays nothing for them. */
export const endContexts = (): void => contexts.disable();
