import { vi } from "vitest";

const LIMIT_MS = 60_000;

/**
 * Waits until a check no longer throws, and returns its value. The limit ends a hanging check. On a busy
 * machine a check may take long.
 */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, LIMIT_MS);
