/** A deviation that a run chose: its kind, and its extent as a number from 0 to 1. */
export type Deviation<Kind extends string> = { kind: Kind; size: number };

/** One named sequence of choices. Progress in one sequence never affects another. */
export type Stream = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  between(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** Chooses at most one of the kinds by its probability, and otherwise null, which is the normal course. */
  deviate<Kind extends string>(odds: Partial<Record<Kind, number>>): Deviation<Kind> | null;
};

/** The choices of one run. */
export type Chance = {
  stream(name: string): Stream;
  /** Multiplies the probability of every deviation from now on; 0 ends them all. */
  setWildness(factor: number): void;
  /** The deviations that took place, in order: `<stream>#<index>` and the kind. */
  readonly deviations: ReadonlyArray<{ id: string; kind: string }>;
};

/**
 * Creates the choices of `seed`. With `allowed`, only the deviations with these ids happen, and all others
 * become the normal course, which is how a failing run is shrunk.
 */
export function createChance(seed: number, allowed: ReadonlySet<string> | null = null): Chance {
  const streams = new Map<string, Stream>();
  const deviations: Array<{ id: string; kind: string }> = [];
  let wildness = 1;

  const createStream = (name: string): Stream => {
    const random = createRandom(hash(`${seed}/${name}`));
    let index = 0;
    return {
      next: random,
      between: (low, high) => low + random() * (high - low),
      pick: (values) => values[Math.floor(random() * values.length)] as (typeof values)[number],
      deviate(odds) {
        // Draws twice each time, so that a deviation that is not allowed leaves the rest of the stream
        // unchanged.
        let rest = random();
        const size = random();
        const id = `${name}#${index++}`;
        for (const kind in odds) {
          const probability = (odds[kind] ?? 0) * wildness;
          if (rest < probability) {
            if (allowed && !allowed.has(id)) return null;
            deviations.push({ id, kind });
            return { kind, size };
          }
          rest -= probability;
        }
        return null;
      },
    };
  };

  return {
    stream(name) {
      const present = streams.get(name) ?? createStream(name);
      streams.set(name, present);
      return present;
    },
    setWildness(factor) {
      wildness = factor;
    },
    deviations,
  };
}

/** Returns the FNV-1a hash over UTF-16 units, continuing from `start`. */
export function hash(text: string, start = 0x811c9dc5): number {
  let state = start;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return state >>> 0;
}

/** Creates the generator mulberry32, whose 32 bits of state are plenty for one stream of one run. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
