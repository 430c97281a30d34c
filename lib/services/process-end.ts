import type Database from "libsql";
import { ConfigError } from "../config.ts";
import { log } from "../log.ts";
import { openDatabase } from "../store/open-database.ts";

/** Longer than `shutDown` gives requests in flight, so that stores are closed after it. */
const LAST_MS = 15_000;

const signals = ["SIGTERM", "SIGINT"] as const;

/**
 * Ends the process in order: with status 0 after SIGTERM or SIGINT, with status 1 after an exception that nobody
 * caught, also while it was ending, whose log line is the reason. `close` lets work in flight come to its end; a second
 * signal, a failure of `close` or 15 seconds cut it off with status 1. A rejection that nobody handled is only logged:
 * no call stack was left half way.
 */
export function endInOrder(close: () => Promise<void>): void {
  let isEnding = false;
  let status = 0;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), LAST_MS).unref();
    close().then(
      () => process.exit(status),
      (err: unknown) => {
        log().error({ err }, "shutdown failed");
        process.exit(1);
      },
    );
  };
  for (const signal of signals)
    process.on(signal, () => {
      if (isEnding) process.exit(1);
      end();
    });
  process.on("uncaughtException", (err) => {
    log().fatal({ err }, "uncaught exception");
    status = 1;
    end();
  });
  process.on("unhandledRejection", (err) => log().error({ err }, "unhandled rejection"));
}

/** What Next ends its process with after a signal, once it has answered its requests: the shell's codes. */
const NEXT_ENDED = [130, 143];

/**
 * Ends a process in which Next listens, and takes the signals, in the same order and with the same status: `drain` runs
 * at once, `close` when Next has answered its requests and would exit. 15 seconds cut it off with status 1.
 */
export function endAfterNext({ drain, close }: { drain: () => void; close: () => Promise<void> }): void {
  const exit = process.exit.bind(process);
  const end = async () => {
    try {
      await close();
      exit(0);
    } catch (err) {
      log().error({ err }, "shutdown failed");
      exit(1);
    }
  };
  const onSignal = () => {
    for (const signal of signals) process.off(signal, onSignal);
    drain();
    setTimeout(() => exit(1), LAST_MS).unref();
    // Next offers nothing that runs between its last answer and its exit.
    let isEnding = false;
    const exitLater = (code?: number) => {
      if (!NEXT_ENDED.includes(Number(code))) return exit(code);
      if (!isEnding) void end();
      isEnding = true;
    };
    process.exit = exitLater as typeof process.exit;
  };
  for (const signal of signals) process.on(signal, onSignal);
}

const EX_CONFIG = 78;

/** Ends a process that can't start: what its operator can mend is told in words alone, a bug with its stack. */
export function exitOnStartupError(error: unknown): never {
  if (error instanceof ConfigError) {
    console.error(error.message);
    process.exit(EX_CONFIG);
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  const isOperators = syscall !== undefined;
  const advice = code === "EADDRINUSE" ? ". Stop the program that has the port, or set PORT to another." : "";
  console.error(isOperators ? `Hivegate can't start: ${message}${advice}` : error);
  process.exit(1);
}

const held: Database.Database[] = [];

/**
 * Keeps a data folder to this process alone until its end: the lock is a transaction, which the system ends with the
 * process, also one that is killed.
 * @throws ConfigError when another process has the folder
 */
export function lockDataDir(folder: string): void {
  const lock = openDatabase(folder, "in-use.sqlite");
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    held.push(lock);
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code !== "SQLITE_BUSY") throw error;
    const problem = `${folder} is in use by another process: end that one, or name another folder`;
    throw new ConfigError([{ setting: "DATA_DIR", problem }]);
  }
}
