import { readdirSync, readFileSync } from "node:fs";

/**
 * Processor time since the machine started, in clock ticks over all cores: in total, and of processes other
 * than this one and its children.
 */
export type MachineLoad = { all: number; foreign: number };

/** The share of all cores that other processes may use before the numbers become unreliable. */
export const BUSY_ABOVE = 0.1;

/** Reads the load from `/proc` (Linux). */
export function readMachineLoad(): MachineLoad {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, , , steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const used = user + nice + system + steal;
  return { all: used + idle + wait, foreign: used - ownTicks() };
}

/** Returns the share of all cores that other processes used between two readings, from 0 to 1. */
export function foreignShare(before: MachineLoad, after: MachineLoad): number {
  const all = after.all - before.all;
  return all > 0 ? Math.min(1, Math.max(0, (after.foreign - before.foreign) / all)) : 0;
}

/** Returns the largest of these shares, and whether numbers measured meanwhile are reliable. */
export function judgeLoad(
  shares: readonly number[],
  busyAbove: number,
): { isQuiet: boolean; busiest: number; verdict: string } {
  const busiest = Math.max(0, ...shares);
  const isQuiet = shares.length > 0 && busiest <= busyAbove;
  const percent = `${Math.round(busiest * 100)} % of the machine`;
  const verdict = isQuiet
    ? `The machine was quiet: others used at most ${percent}. These numbers can be compared.`
    : `NOT GOOD: others used up to ${percent} (more than ${Math.round(busyAbove * 100)} %). Don't compare or quote these numbers; run it again on a quiet machine.`;
  return { isQuiet, busiest, verdict };
}

/** Watches how much other processes use the machine during a measurement. */
export type LoadWatch = {
  begin(): void;
  /** Ends the measurement that `begin` started, and returns the share in words. */
  end(): string;
  judge(): ReturnType<typeof judgeLoad>;
};

/** Creates a watch that considers the machine busy above `busyAbove`, a share from 0 to 1. */
export function createLoadWatch(busyAbove: number, read = readMachineLoad): LoadWatch {
  const shares: number[] = [];
  let begun: MachineLoad | null = null;
  return {
    begin() {
      begun = read();
    },
    end() {
      const share = begun ? foreignShare(begun, read()) : 0;
      shares.push(share);
      return `${Math.round(share * 100)} % of the machine`;
    },
    judge: () => judgeLoad(shares, busyAbove),
  };
}

/** Returns the clock ticks of this process and all its descendants, including ended ones. */
function ownTicks(): number {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const own = new Set([process.pid]);
  // A child may precede its parent, so this repeats until no more are found.
  for (let known = 0; known < own.size; ) {
    known = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  return processes.filter(({ pid }) => own.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

function readProcess(pid: number): { pid: number; parent: number; ticks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").map(Number) ?? [];
    const [, parent = 0] = fields;
    return { pid, parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    // The process ended meanwhile.
    return null;
  }
}
