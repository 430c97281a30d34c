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
