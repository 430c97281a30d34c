import { type Logger, pino } from "pino";
import { processWide } from "./async/process-wide.ts";
import { currentConfig } from "./config.ts";

export type Log = Logger;

/** Names whose values never reach the log, wherever they stand. */
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

/** The process's logger: one JSON line an entry on standard output. A process without the app's settings gives the level at its start. */
export function log(level?: string): Log {
  return processWide("log", () =>
    pino({
      level: level ?? currentConfig().logLevel,
      formatters: { level: (label) => ({ level: label }) },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: "[redacted]",
      },
    }),
  );
}
