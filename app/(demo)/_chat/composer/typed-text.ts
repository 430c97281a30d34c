import { isBlankMarkdown } from "#lib/blank-text.ts";
import { type Mils, readMils } from "#lib/mils.ts";
import { readTyped } from "../../_pay/amounts.ts";
import { strings } from "../strings.en.ts";

/** Mattermost's limit on a message. */
export const MAX_CHARACTERS = 16_383;

/** Maximum length of typed or pasted text in a field: longer text makes every key slow. */
export const MAX_TYPED = MAX_CHARACTERS * 2;

/** Returns how many characters of a text exceed `limit`, counted as the server counts them. */
export function excessOf(text: string, limit = MAX_CHARACTERS): number {
  if (text.length <= limit) return 0;
  return Math.max(0, [...text.trim()].length - limit);
}

type Marked = { from: number; to: number; insert: string; selectFrom: number };

/**
 * Puts a Markdown marker around the selection, or removes an existing one. Offsets refer to the unchanged
 * text.
 */
export function toggleMark(text: string, start: number, end: number, mark: string): Marked {
  const selected = text.slice(start, end);
  const [from, to] = [start - mark.length, end + mark.length];
  const isMarked = from >= 0 && text.slice(from, start) === mark && text.slice(end, to) === mark;
  if (isMarked) return { from, to, insert: selected, selectFrom: from };
  return { from: start, to: end, insert: `${mark}${selected}${mark}`, selectFrom: start + mark.length };
}

export type Written =
  /** A message; with a type, an action of its author. */
  | { kind: "message"; text: string; type?: "me" }
  /** A tip for a person, with the amount if one was written; not a message. */
  | { kind: "tip"; username: string; mils: Mils | null }
  /** An unknown or incomplete command; `problem` says what to write. */
  | { kind: "malformed"; problem: string };

/** The commands that may begin a line. */
export const commandNames = ["me", "tip"] as const;

/**
 * Matches only at the very beginning, so that a leading space makes a command ordinary text. `/home/alice` is
 * not a command.
 */
const COMMAND = /^\/([a-z][\w-]*)([\s\S]*)$/i;
const TIPPED = /^@?([a-z][a-z0-9.-]{2,15})(?:\s+(.+))?$/is;

/** Maximum tip that the gateway allows. */
const MOST_TIPPED = readMils("100.000 HBD");

/** Parses an amount as people write it (`0.5`, `0,5` or `0.5 HBD`), or returns null. */
const amountOf = (text: string) => readTyped(text.replace(/\s*HBD$/i, "").replace(",", "."));

/**
 * Interprets written text: `/me waves` is an action, `/tip @bob 0.5` a tip, other commands are unknown, and
 * everything else is a message.
 */
export function readWritten(text: string): Written {
  const [, command, behind = ""] = COMMAND.exec(text.trimEnd()) ?? [];
  const rest = isBlankMarkdown(behind) ? "" : /^\s+([\s\S]*)$/.exec(behind)?.[1];
  if (command === undefined || rest === undefined) return { kind: "message", text: text.trim() };
  if (command === "tip") return readTip(rest);
  if (command !== "me") return { kind: "malformed", problem: strings.composer.unknownCommand(command) };
  if (rest === "") return { kind: "malformed", problem: strings.composer.emptyAct };
  return { kind: "message", text: rest, type: "me" };
}

function readTip(rest: string): Written {
  const [, username, amount] = TIPPED.exec(rest) ?? [];
  if (username === undefined) return { kind: "malformed", problem: strings.composer.malformedTip(null) };
  const mils = amount === undefined ? null : amountOf(amount);
  if (amount !== undefined && (!mils || mils > MOST_TIPPED))
    return { kind: "malformed", problem: strings.composer.malformedTip(amount) };
  return { kind: "tip", username: username.toLowerCase(), mils };
}
