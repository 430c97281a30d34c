import type { Shape } from "./chain-reader.ts";

/** The latest parsed answer of any node, with its text and shape. */
export type LatestResult = {
  /** Returns the result of this text in this shape if it is the latest one. */
  find<T>(text: string, shape: Shape<T>): { result: T } | null;
  keep<T>(text: string, shape: Shape<T>, result: T): void;
};

/** Longer texts are parsed each time, so that a large answer does not stay in memory. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * Creates a place for the latest result. Two nodes that agree often send the same text, which is parsed once. The
 * result follows from the text and the shape alone, so a node still decides only by what it has sent.
 */
export function createLatestResult(): LatestResult {
  let latest: { text: string; shape: Shape<unknown>; result: unknown } | null = null;
  return {
    find<T>(text: string, shape: Shape<T>) {
      return latest?.text === text && latest.shape === shape ? { result: latest.result as T } : null;
    },
    keep(text, shape, result) {
      if (text.length <= MAX_CHARACTERS) latest = { text, shape, result };
    },
  };
}
