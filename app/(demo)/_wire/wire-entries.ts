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

const SECRET = /token|secret|passw|cookie|authori[sz]ation|private_?key|session|wif$/i;
const HIDDEN = "(hidden)";
const SHOWN_CHARACTERS = 20_000;

const withoutSecrets = (name: string, value: unknown) => (SECRET.test(name) ? HIDDEN : value);

/** A JSON text inside a frame (the backend packs posts so) is shown as what it holds. */
function unpack(name: string, value: unknown): unknown {
  if (SECRET.test(name) || typeof value !== "string" || !/^[[{]/.test(value))
    return withoutSecrets(name, value);
  try {
    return JSON.parse(value, withoutSecrets);
  } catch {
    return value;
  }
}

/** A frame as indented JSON, posts in it unpacked, secrets hidden, cut after 20,000 characters. */
export function showFrame(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text, unpack), null, 2);
  } catch {
    // What is no JSON is shown as it is.
  }
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
}
