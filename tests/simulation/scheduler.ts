/** Virtual time. Nothing in a run waits for real time, and only scheduled work runs. */
export type Scheduler = {
  /** Returns the milliseconds since the start of the run. */
  now(): number;
  /** Runs `work` after `delayMs`. Events of one instant run in the order in which they were scheduled. */
  after(delayMs: number, work: () => void): void;
  /**
   * Runs events until `isDone`, or until virtual time `untilMs`. Between two events, all work that takes no
   * time runs to its end.
   */
  run(untilMs: number, isDone: () => boolean): Promise<void>;
  readonly eventCount: number;
};

type Event = { at: number; order: number; work: () => void };

const isBefore = (one: Event, other: Event) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** Creates a scheduler at time 0. `maxEvents` ends a run that would never end. */
export function createScheduler(maxEvents: number): Scheduler {
  const heap: Event[] = [];
  let now = 0;
  let scheduled = 0;
  let eventCount = 0;

  const push = (event: Event) => {
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  };

  const pop = (): Event | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (!left) break;
      const right = heap[child + 1];
      if (right && isBefore(right, left)) child++;
      const below = heap[child] as Event;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  };

  return {
    now: () => now,
    after(delayMs, work) {
      push({ at: now + Math.max(0, delayMs), order: scheduled++, work });
    },
    async run(untilMs, isDone) {
      await rest();
      while (!isDone()) {
        const [next] = heap;
        if (!next || next.at > untilMs) break;
        if (eventCount >= maxEvents) throw new Error(`the run does not end: ${maxEvents} events`);
        pop();
        now = next.at;
        eventCount++;
        next.work();
        await rest();
      }
      now = Math.max(now, Math.min(untilMs, heap[0]?.at ?? untilMs, untilMs));
    },
    get eventCount() {
      return eventCount;
    },
  };
}

/** Waits until no promise is left that could proceed, because only then does Node run its immediates. */
const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
