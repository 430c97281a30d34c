import { CodedError, hasCode } from "../errors.ts";
import { ChainError, NodeFault } from "./chain-node.ts";
import type { ChainReader } from "./chain-state.ts";

/** Matching answers from two nodes, or from one whose word is enough. */
export type Agreement<T> = readonly [T, ...T[]];

export type AgreeOptions<T> = {
  /** Which answers count as the same (default: equal ones). */
  isSame?: (one: T, other: T) => boolean;
  /**
   * Which answers of a first node need a second one's word: then the nodes are asked one after the other, and any other
   * answer stands alone.
   */
  needsSecond?: (answer: T) => boolean;
  /** If only one node answers, its word is taken; two that answer must still agree. */
  isOneEnough?: boolean;
  /** Which of the healthiest nodes is asked first (default 0); counts round and round. */
  turn?: number;
  /** Ends the reading; the attempts in flight are cut. */
  signal?: AbortSignal | undefined;
};

/**
 * Has the first two of `nodes` look, side by side; one that gives no answer or refuses is replaced by the next, of which
 * `onSkip` hears. Where the two differ, the next one decides.
 * @throws CodedError `chain_unavailable` when no two say the same.
 */
export async function agreeAmong<T>(
  nodes: readonly ChainReader[],
  look: (node: ChainReader) => Promise<T>,
  options: AgreeOptions<T> & { onSkip: () => void },
): Promise<Agreement<T>> {
  const { isSame = isEqual, needsSecond, isOneEnough = false, signal, onSkip } = options;
  // All share one row of candidates, so no node answers twice.
  const candidates = nodes.values();
  const answers: T[] = [];
  let cause: unknown;

  /** Adds the next node's answer, where there is such a node. */
  const ask = async (): Promise<void> => {
    for (let skipped = 0; ; skipped++) {
      // Not `for of`, which would close the row for the others.
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
    cause = new Error("The nodes say different things.");
    await ask();
    for (const third of answers.slice(2)) {
      if (isSame(one, third)) return [one, third];
      if (isSame(other, third)) return [other, third];
    }
  }
  throw new CodedError("chain_unavailable", { cause });
}

/** Answers were parsed by one schema, so that equal ones have equal texts. */
const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A node that refuses to tell, or whose answer can't be, is no better than one that does not answer. */
function isSilence(error: unknown): boolean {
  const isAway = hasCode(error, "chain_unavailable");
  return isAway || error instanceof NodeFault || error instanceof ChainError;
}

/**
 * What it means for users and money how many chain nodes are named (each host and port counted once), and how many must
 * answer for a small payment: a sentence or two with the next step, null where no node is ever believed alone.
 */
export function trustNote(nodes: number, quorum: 1 | 2): string | null {
  if (nodes < 2)
    return "One chain node is named: whoever runs it decides who gets in and what counts as paid. Name three or more hosts in HIVE_NODES.";
  if (quorum === 1)
    return "HIVE_QUORUM is 1: while no second chain node answers, payments below 100 HBD count by one node's word. Set it to 2, and name three or more hosts in HIVE_NODES.";
  return null;
}
