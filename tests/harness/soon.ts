import { vi } from "vitest";

const LIMIT_MS = 60_000;

/**
 * Waits until a check no longer throws, and returns its value. The limit only ends a check that hangs: it is
 * long, because a check may take a while on a busy machine.
 */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, LIMIT_MS);
