import type { FlowStep } from "./flow-step.ts";

type Frame = {
  kind: "frame";
  direction: "in" | "out";
  /** The event, the action, or `reply`. */
  name: string;
  /** The frame's own number; of a reply, the number of what it answers. */
  seq: number | null;
  text: string;
};

export type WireEntry = { id: number; at: number } & ({ kind: "http"; step: FlowStep } | Frame);

const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 1_000_000;

const weightOf = (entry: WireEntry) => (entry.kind === "frame" ? entry.text.length : 0);

/** What went over the wire of this tab, newest last: at most 500 entries, and a million characters of frames. */
export function createWireLog(now: () => number = Date.now) {
  const entries: WireEntry[] = [];
  const listeners = new Set<() => void>();
  let characters = 0;
  let lastId = 0;
  let shown: readonly WireEntry[] | null = null;

  const changed = () => {
    shown = null;
    for (const listener of listeners) listener();
  };
  const add = (entry: WireEntry) => {
    entries.push(entry);
    characters += weightOf(entry);
    while (entries.length > MAX_ENTRIES || characters > MAX_CHARACTERS) {
      const oldest = entries.shift();
      if (!oldest) break;
      characters -= weightOf(oldest);
    }
    changed();
  };

  return {
    addStep: (step: FlowStep) => add({ id: ++lastId, at: now(), kind: "http", step }),
    addFrame: (frame: Omit<Frame, "kind">) => add({ id: ++lastId, at: now(), kind: "frame", ...frame }),
    clear() {
      entries.length = 0;
      characters = 0;
      changed();
    },
    snapshot(): readonly WireEntry[] {
      shown ??= [...entries];
      return shown;
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** The tab's one record. */
export const wireLog = createWireLog();
