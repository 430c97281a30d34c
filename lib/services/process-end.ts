import cluster from "node:cluster";
import type Database from "libsql";
import { ConfigError } from "../config.ts";
import { log } from "../log.ts";
import { openDatabase } from "../store/open-database.ts";

/** Longer than `shutDown` waits for open requests, so that stores are closed after them. */
const LAST_MS = 15_000;

const signals = ["SIGTERM", "SIGINT"] as const;

/**
 * Ends the process in order: with status 0 after SIGTERM or SIGINT, and with status 1 after an uncaught
 * exception, which a log line explains, even during the shutdown. `close` lets work in progress finish; a
 * second signal, a failure of `close`, or 15 seconds cut it off with status 1. A worker ignores a second
 * signal, because a terminal or a service manager signals the worker in addition to its leader; the worker
 * ends with its leader. An unhandled rejection is only logged, because it interrupts no other code.
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
      if (isEnding && cluster.isPrimary) process.exit(1);
      end();
    });
  process.on("uncaughtException", (err) => {
    log().fatal({ err }, "uncaught exception");
    status = 1;
    end();
  });
  process.on("unhandledRejection", (err) => log().error({ err }, "unhandled rejection"));
}

/**
 * The codes with which Next exits after a signal, once it has answered its requests; they are the shell's
 * codes.
 */
const NEXT_ENDED = [130, 143];

/**
 * Ends a process in which Next listens and handles the signals, in the same order and with the same status.
 * `drain` runs at once, and `close` when Next has answered its requests and is about to exit. After 15
 * seconds the process ends with status 1.
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
    // Next offers no hook between its last answer and its exit.
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

/**
 * Ends a process that cannot start. Problems that its operator can fix are printed as a message, bugs with
 * their stack.
 */
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
 * Reserves a data folder for this process until the process ends. The lock is a transaction, which the
 * operating system ends even if the process is killed.
 * @throws ConfigError if another process uses the folder
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
