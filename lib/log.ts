import { type Logger, pino } from "pino";
import { currentConfig } from "./config.ts";
import { processWide } from "./process-wide.ts";

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

/** The process's logger: one JSON line an entry on standard output. */
export function log(): Log {
  return processWide("log", () =>
    pino({
      level: currentConfig().logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: "[redacted]",
      },
    }),
  );
}
