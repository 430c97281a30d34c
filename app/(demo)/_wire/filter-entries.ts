import { showFrame } from "./show-frame.ts";
import type { WireEntry } from "./wire-log.ts";

export type KindFilter = "all" | "http" | "frames";

const textOf = (entry: WireEntry) =>
  entry.kind === "frame"
    ? `${entry.name} ${showFrame(entry.text)}`
    : `${entry.step.method} ${entry.step.url} ${entry.step.status ?? ""} ${JSON.stringify(entry.step.headers)}`;

/** The entries of a kind that hold a text, whatever its case. */
export function filterEntries(
  entries: readonly WireEntry[],
  kind: KindFilter,
  text: string,
): readonly WireEntry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      (kind === "all" || (kind === "frames") === (entry.kind === "frame")) &&
      (wanted === "" || textOf(entry).toLowerCase().includes(wanted)),
  );
}
