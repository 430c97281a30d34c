import { CodedError } from "../errors.ts";
import type { ChainReader } from "./chain-reader.ts";

/** Matching answers from two nodes, or the answer of one if one is enough. */
export type Agreement<T> = readonly [T, ...T[]];

export type AgreeOptions<T> = {
  /** Compares answers; equality by default. */
  isSame?: (one: T, other: T) => boolean;
  /**
   * Selects first answers that a second node must confirm. The nodes are then asked one after the other, and
   * any other answer needs no confirmation.
   */
  needsSecond?: (answer: T) => boolean;
  /** Accepts a single answer if only one node answers. Two nodes that answer must still agree. */
  isOneEnough?: boolean;
  /** The index of the node to ask first among the healthiest ones, modulo their number (default 0). */
  turn?: number;
  /** Aborts the read and its attempts in flight. */
  signal?: AbortSignal | undefined;
};

/**
 * Asks the first two of `nodes` in parallel. A node that refuses or does not answer is replaced by the next
 * one, and `onSkip` is called. If the two answers differ, the next node decides.
 * @throws CodedError `chain_unavailable` if no two agree
 */
export async function agreeAmong<T, Node = ChainReader>(
  nodes: readonly Node[],
  look: (node: Node) => Promise<T>,
  options: AgreeOptions<T> & {
    onSkip: () => void;
    /** Returns whether an error means that a node has no answer; any other error ends the read. */
    isSilence: (error: unknown) => boolean;
  },
): Promise<Agreement<T>> {
  const { isSame = isEqual, needsSecond, isOneEnough = false, signal, onSkip, isSilence } = options;
  // All callers share one list of candidates, so no node answers twice.
  const candidates = nodes.values();
  const answers: T[] = [];
  let cause: unknown;

  /** Adds the next node's answer, if there is another node. */
  const ask = async (): Promise<void> => {
    for (let skipped = 0; ; skipped++) {
      // Not `for of`, which would close the iterator for the others.
      const { value: node, done } = candidates.next();
      if (done) return;
      if (skipped > 0) onSkip();
      try {
        answers.push(await look(node));
        return;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!isSilence(error)) throw error;
        cause = error;
      }
    }
  };

  if (needsSecond) {
    await ask();
    const [only] = answers;
    if (answers.length === 1 && !needsSecond(only as T)) return [only as T];
    await ask();
  } else {
    await Promise.all([ask(), ask()]);
  }
  const [one, other] = answers as [T, T];
  if (answers.length === 1 && (isOneEnough || nodes.length === 1)) return [one];
  if (answers.length > 1) {
    if (isSame(one, other)) return [one, other];
    cause = new Error("The nodes disagree.");
    await ask();
    for (const third of answers.slice(2)) {
      if (isSame(one, third)) return [one, third];
      if (isSame(other, third)) return [other, third];
    }
  }
  throw new CodedError("chain_unavailable", { cause });
}

/** Compares two answers as JSON. The same schema parsed both, so equal answers have equal texts. */
const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Describes what the number of chain nodes, and the number that must confirm a small payment, mean for users
 * and money, with the next step; null if no node decides alone. The same host and port count as one node.
 */
export function trustNote(nodes: number, quorum: 1 | 2): string | null {
  if (nodes < 2)
    return "One chain node is named: whoever runs it decides who gets in and what counts as paid. Name three or more hosts in HIVE_NODES.";
  if (quorum === 1)
    return "HIVE_QUORUM is 1: while no second chain node answers, payments below 100 HBD count by one node's word. Set it to 2, and name three or more hosts in HIVE_NODES.";
  return null;
}
