import type { ChainNode } from "./chain-node.ts";

const REST_AFTER_FAILURE_MS = 30_000;
const MAX_DEVIATION_MS = 5000;
/** Of two heads that differ nobody can say which one is wrong. */
const LEAST_FOR_MEDIAN = 3;

/**
 * Sorts nodes by health, keeping the given order among equals: those of another chain last, before them those that
 * failed within the last 30 s, then those whose head is more than 5 s from the median of three or more answering nodes.
 * Among the healthiest, the one numbered `turn` (cyclically) comes first. `nowMs` is of the nodes' monotonic clock.
 */
export function rankNodes(nodes: readonly ChainNode[], nowMs: number, turn = 0): ChainNode[] {
  const middle = medianLead(nodes);
  const rankOf = (node: ChainNode) =>
    (node.chain === "foreign" ? 8 : 0) +
    (node.failedAtMs !== null && nowMs - node.failedAtMs < REST_AFTER_FAILURE_MS ? 4 : 0) +
    (middle !== null && Math.abs((leadOf(node) ?? middle) - middle) > MAX_DEVIATION_MS ? 2 : 0) +
    (node.chain === "untold" ? 1 : 0);
  const ranked = nodes.map((node) => ({ node, rank: rankOf(node) }));
  const best = Math.min(...ranked.map(({ rank }) => rank));
  const healthy = ranked.filter(({ rank }) => rank === best).map(({ node }) => node);
  const others = ranked.filter(({ rank }) => rank > best).sort((a, b) => a.rank - b.rank);
  const shift = turn % healthy.length;
  return [...healthy.slice(shift), ...healthy.slice(0, shift), ...others.map(({ node }) => node)];
}

/** How far a node's head is ahead of our clock, whatever that shows: comparable, though nodes answer at different times. */
const leadOf = ({ head, failedAtMs }: ChainNode) =>
  head === null || failedAtMs !== null ? null : head.timeMs - head.readAtMs;

/** The middle of the answering nodes' heads; null where there are too few to tell. */
function medianLead(nodes: readonly ChainNode[]): number | null {
  const leads = nodes.flatMap((node) => leadOf(node) ?? []).sort((a, b) => a - b);
  if (leads.length < LEAST_FOR_MEDIAN) return null;
  const upper = leads[Math.floor(leads.length / 2)] ?? 0;
  const lower = leads[Math.floor((leads.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
