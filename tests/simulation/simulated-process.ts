import type { Chance, Stream } from "./chance.ts";
import type { Answer, Network, Question } from "./network.ts";
import type { Product } from "./product.ts";
import type { Scheduler } from "./scheduler.ts";

/** The parts that a whole run shares. */
export type Stage = {
  chance: Chance;
  scheduler: Scheduler;
  network: Network;
  /** Writes a line of the trace. */
  note(text: string): void;
  /** Ends the run, because an invariant is broken. */
  violate(what: string): void;
};

/** True time at the start of a run, in milliseconds since 1970. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);

const CRASHES_MOST = 4;

export type Timer = { isCancelled: boolean; unref(): Timer; ref(): Timer };

/** A process of the payment system: its clocks, randomness, calls and deaths. */
export type SimulatedProcess = {
  readonly name: string;
  readonly stage: Stage;
  readonly random: Stream;
  /** Increases with every crash. An earlier life's answers never reach a later one. */
  readonly life: number;
  readonly isAlive: boolean;
  /** The process's wall clock, in milliseconds since 1970, and its monotonic clock. */
  wallMs(): number;
  monotonicMs(): number;
  /** The wall clock's time when the process started. */
  readonly timeOrigin: number;
  stepClock(ms: number): void;
  setTimer(work: () => void, delayMs: number, options?: { isRepeated?: boolean }): Timer;
  /** Calls another machine. Rejects with an error that has a `code`, or with the signal's reason. */
  ask(question: Question): Promise<Answer>;
  /**
   * Runs one external call. `work` gets the function that ends it. The process may die before the call is
   * made, or after it was carried out but before its outcome is known.
   */
  call<T>(label: string, work: (end: (outcome: () => T) => void) => void): Promise<T>;
  start(): void;
  /** Holds a value until the run ends, so that its garbage collection does not show. */
  keep(value: unknown): void;
};

/**
 * Creates a process that `boot` starts, now and after each crash. `odds` is the probability of a crash at one
 * call, and `onAsk` is called with each call to another machine.
 */
export function createSimulatedProcess(
  stage: Stage,
  options: {
    name: string;
    odds: number;
    boot: () => void;
    onAsk?: ((question: Question) => void) | undefined;
  },
): SimulatedProcess {
  const { name, boot } = options;
  const { scheduler } = stage;
  const crashes = stage.chance.stream(`${name}.crash`);
  const clock = stage.chance.stream(`${name}.clock`);
  const drift = 1 + (clock.deviate({ drifts: 0.2 })?.size ?? 0.5) * 0.02 - 0.01;
  let offsetMs = clock.between(-300, 300);
  const offset = clock.deviate({ "is off": 0.1 });
  if (offset) offsetMs += (offset.size - 0.5) * 240_000;
  let startedAt = 0;
  let timeOrigin = EPOCH_MS;
  let life = 0;
  let isAlive = false;
  let crashCount = 0;
  const kept: unknown[] = [];

  /** Decides whether the process survives this point. */
  const survives = (where: string): boolean => {
    if (!isAlive) return false;
    if (options.odds === 0 || crashCount >= CRASHES_MOST) return true;
    const crash = crashes.deviate({ dies: options.odds });
    if (!crash) return true;
    crashCount++;
    life++;
    isAlive = false;
    stage.note(`${name} DIES ${where}`);
    stage.network.cut(name);
    scheduler.after(50 + crash.size * crash.size * 20_000, () => process.start());
    return false;
  };

  const process: SimulatedProcess = {
    name,
    stage,
    random: stage.chance.stream(`${name}.random`),
    get life() {
      return life;
    },
    get isAlive() {
      return isAlive;
    },
    wallMs: () => EPOCH_MS + offsetMs + scheduler.now() * drift,
    get timeOrigin() {
      return timeOrigin;
    },
    monotonicMs: () => (scheduler.now() - startedAt) * drift,
    stepClock(ms) {
      offsetMs += ms;
      stage.note(`${name} clock steps by ${Math.round(ms)} ms`);
    },
    setTimer(work, delayMs, { isRepeated = false } = {}) {
      const timer: Timer = { isCancelled: false, unref: () => timer, ref: () => timer };
      const bornIn = life;
      const wait = () =>
        scheduler.after(Math.max(1, delayMs || 0) / drift, () => {
          if (timer.isCancelled || life !== bornIn || !survives("before a timer")) return;
          try {
            work();
          } catch (error) {
            stage.violate(`${name}: a timer threw ${String(error)}`);
          }
          if (survives("after a timer") && isRepeated && !timer.isCancelled) wait();
        });
      if (isAlive) wait();
      return timer;
    },
    ask(question) {
      if (isAlive) options.onAsk?.(question);
      const label = `${question.method} ${question.url}`;
      return process.call(label, (end) => stage.network.exchange(process, question, end));
    },
    call(label, work) {
      return new Promise((resolve, reject) => {
        const bornIn = life;
        if (!survives(`before ${label}`)) return;
        let isEnded = false;
        work((outcome) => {
          if (isEnded || life !== bornIn) return;
          isEnded = true;
          if (!survives(`after ${label}`)) return;
          try {
            resolve(outcome());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
    start() {
      if (isAlive) return;
      isAlive = true;
      startedAt = scheduler.now();
      timeOrigin = process.wallMs();
      stage.note(`${name} starts`);
      boot();
    },
    keep: (value) => void kept.push(value),
  };
  return process;
}

/**
 * Payment code that is loaded once. Each run puts another process in the slot, and the code runs on that
 * process's clocks and network.
 */
export type Slot = { product: Product; occupy(process: SimulatedProcess): void };
