import { type DestinationStream, type Logger, pino } from "pino";
import { processWide } from "./async/process-wide.ts";

export type Log = Logger;

/** Names whose values never reach the log, down to the third level of an entry. */
const secretNames = [
  "authorization",
  "cookie",
  "set-cookie",
  "x-payment",
  "token",
  "accessToken",
  "refreshToken",
  "activeKey",
  "signature",
  "password",
];

/** Returns the process's logger: one JSON line per entry on standard output, at the last given level. */
export function log(level?: string): Log {
  const { entries, requests } = logs();
  if (level !== undefined) {
    entries.level = level;
    requests.level = level;
  }
  return entries;
}

/**
 * Returns the logger for lines that contain no secret by construction, such as one per request. It removes
 * nothing from them, and writes them in batches, but never after a later line.
 */
export function plainLog(): Log {
  return logs().requests;
}

const logs = () => processWide("log", createLogs);

const BATCH_CHARACTERS = 8192;
const LONGEST_MS = 50;

function createLogs(): { entries: Log; requests: Log } {
  // Batches are written synchronously, because an asynchronous batch could be lost with the process, or be
  // overtaken by an error.
  const output = pino.destination({ dest: 1, sync: true });
  // Collected here, because the destination would count the bytes of each line.
  let waiting = "";
  let isDue = false;
  const writeWaiting = () => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") output.write(lines);
  };
  const writeDue = () => {
    isDue = false;
    writeWaiting();
  };
  process.on("exit", writeWaiting);
  const inBatches: DestinationStream = {
    write(line) {
      waiting += line;
      if (waiting.length >= BATCH_CHARACTERS) writeWaiting();
      if (isDue) return;
      isDue = true;
      setTimeout(writeDue, LONGEST_MS).unref();
    },
  };
  const atOnce: DestinationStream = {
    write(line) {
      writeWaiting();
      output.write(line);
    },
  };
  const format = {
    formatters: { level: (label: string) => ({ level: label }) },
    base: null,
    timestamp: createIsoTime(),
  };
  const redact = {
    paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
    censor: "[redacted]",
  };
  return { entries: pino({ ...format, redact }, atOnce), requests: pino(format, inBatches) };
}

/** Creates pino's function for the time of a line. The text of the current second is formatted once. */
function createIsoTime(): () => string {
  let second = Number.NaN;
  let beginning = "";
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      beginning = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
    }
    return `${beginning}${String(ms).padStart(3, "0")}Z"`;
  };
}
