import { type Logger, pino } from "pino";
import { processWide } from "./async/process-wide.ts";

export type Log = Logger;

/** Names whose values never reach the log, at any depth. */
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

/** Returns the process's logger: one JSON line per entry on standard output, of the last given level. */
export function log(level?: string): Log {
  const logger = processWide("log", () =>
    pino({
      formatters: { level: (label) => ({ level: label }) },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: "[redacted]",
      },
    }),
  );
  if (level !== undefined) logger.level = level;
  return logger;
}
