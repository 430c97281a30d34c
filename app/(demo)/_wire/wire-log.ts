import { createListeners } from "../_ui/external-store.ts";
import { type FlowStep, publicHeaders } from "./flow-step.ts";

type Frame = {
  kind: "frame";
  direction: "in" | "out";
  /** The event, the action, or `reply`. */
  name: string;
  /** The frame's number or, for a reply, the number of the request. */
  seq: number | null;
  text: string;
};

export type WireEntry = { id: number; at: number } & ({ kind: "http"; step: FlowStep } | Frame);

const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 1_000_000;

const weightOf = (entry: WireEntry) => (entry.kind === "frame" ? entry.text.length : 0);

/**
 * The record of this tab's calls and frames, newest last: up to 500 entries and a million characters of
 * frames.
 */
export function createWireLog(now: () => number = Date.now) {
  const entries: WireEntry[] = [];
  const { subscribe, tell } = createListeners();
  let characters = 0;
  let lastId = 0;
  let shown: readonly WireEntry[] | null = null;

  const changed = () => {
    shown = null;
    tell();
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
    subscribe,
  };
}

/** The tab's only record. */
export const wireLog = createWireLog();

/** Returns an address as the record shows it, without the page's own origin. */
function shorten(address: string): string {
  const origin = globalThis.location?.origin;
  return origin && address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
}

/** Records a `fetch` or an early answer for the inspector, but never bodies, cookies or request headers. */
export async function fetchRecorded(
  address: string,
  init: RequestInit,
  early?: Promise<Response | null>,
): Promise<Response> {
  const startedAt = performance.now();
  const tell = (response: Response | null) =>
    wireLog.addStep({
      kind: "http",
      method: init.method ?? "GET",
      url: shorten(address),
      status: response?.status ?? null,
      ms: performance.now() - startedAt,
      headers: response ? publicHeaders(response.headers) : [],
    });
  try {
    const response = (await early) ?? (await fetch(address, init));
    tell(response);
    return response;
  } catch (error) {
    tell(null);
    throw error;
  }
}

export type KindFilter = "all" | "http" | "frames";

const textOf = (entry: WireEntry) =>
  entry.kind === "frame"
    ? `${entry.name} ${showFrame(entry.text)}`
    : `${entry.step.method} ${entry.step.url} ${entry.step.status ?? ""} ${JSON.stringify(entry.step.headers)}`;

/** Returns the entries of a kind that contain a text, ignoring case. */
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

/** Parses JSON text inside a frame, which is how Mattermost packs posts. */
function unpack(name: string, value: unknown): unknown {
  if (SECRET.test(name) || typeof value !== "string" || !/^[[{]/.test(value))
    return withoutSecrets(name, value);
  try {
    return JSON.parse(value, withoutSecrets);
  } catch {
    return value;
  }
}

/** Returns a frame as indented JSON, with posts unpacked and secrets hidden, cut after 20,000 characters. */
export function showFrame(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text, unpack), null, 2);
  } catch {
    // Anything but JSON is shown unchanged.
  }
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
}
