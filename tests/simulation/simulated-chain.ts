import { createHash } from "node:crypto";
import type { SignedTransfer } from "../../lib/x402/transfer.ts";
import { EPOCH_MS, type Stage } from "./simulated-process.ts";

export const BLOCK_MS = 3000;
const FIRST_BLOCK = 70_000;
/** Number of blocks from before the run that transfers can refer to. */
const OLD_BLOCKS = 12;

/** A transfer on the chain, with the id of the signed packing. */
export type ChainTransfer = { id: string; transfer: SignedTransfer };

export type Block = {
  num: number;
  id: string;
  timeMs: number;
  parent: Block | null;
  transfers: readonly ChainTransfer[];
  /** Balances after this block in 1/1000 HBD, by account. */
  balances: ReadonlyMap<string, number>;
};

/** The honest majority's view since a moment. After a fork, its head is not a child of the previous head. */
export type View = { at: number; head: Block; irreversibleNum: number };

export type SimulatedChain = {
  /** Returns the honest majority's view, `lagMs` ago. */
  view(lagMs: number): View;
  /** Passes a transfer to the block producers, who receive it after `delayMs`. */
  submit(transfer: ChainTransfer, delayMs: number): void;
  isWaiting(id: string): boolean;
  /** Transfers that a gateway in front of a node has not forwarded yet. */
  readonly held: Set<string>;
  /** Starts producing a block every 3 s, with forks. */
  start(): void;
};

/** Finds a transfer in the chain that ends with `head`, or returns null if no block contains it. */
export function findTransfer(head: Block, id: string): { block: Block; transfer: ChainTransfer } | null {
  for (let block: Block | null = head; block; block = block.parent) {
    const transfer = block.transfers.find((one) => one.id === id);
    if (transfer) return { block, transfer };
  }
  return null;
}

/** Returns whether a transfer is in a block that no fork can undo. */
export function isFinal({ head, irreversibleNum }: View, id: string): boolean {
  const found = findTransfer(head, id);
  return found !== null && found.block.num <= irreversibleNum;
}

/** Returns the block with a number in the chain that ends with `head`, or null if there is none. */
export function blockAt(head: Block, num: number): Block | null {
  let block: Block | null = head;
  while (block && block.num > num) block = block.parent;
  return block?.num === num ? block : null;
}

/**
 * Creates a chain whose blocks become irreversible `finalAfter` blocks later. `scale` multiplies the
 * probability of its faults.
 */
export function createSimulatedChain(
  stage: Stage,
  options: { balances: ReadonlyMap<string, number>; finalAfter: number; scale: number },
): SimulatedChain {
  const { scheduler, note } = stage;
  const stream = stage.chance.stream("chain");
  const { finalAfter, scale } = options;
  const waiting = new Map<string, ChainTransfer>();
  let head: Block = createBlock(null, FIRST_BLOCK, EPOCH_MS - OLD_BLOCKS * BLOCK_MS, [], options.balances, 0);
  for (let num = 1; num <= OLD_BLOCKS; num++)
    head = createBlock(head, head.num + 1, head.timeMs + BLOCK_MS, [], options.balances, 0);
  const views: View[] = [{ at: -100_000, head, irreversibleNum: head.num - finalAfter }];
  let forks = 0;

  const publish = () => {
    const before = views.at(-1)?.irreversibleNum ?? 0;
    views.push({
      at: scheduler.now(),
      head,
      irreversibleNum: Math.max(before, head.num - finalAfter),
    });
  };

  const produce = (timeMs: number, mayOmit: boolean) => {
    const balances = new Map(head.balances);
    const included: ChainTransfer[] = [];
    for (const [id, one] of waiting) {
      const { from, to, amountMils, expirationMs } = one.transfer;
      if (expirationMs < timeMs) waiting.delete(id);
      else if (isValidOn(head, one, balances)) {
        if (mayOmit && stream.deviate({ "left out of a block": 0.1 * scale })) continue;
        balances.set(from, (balances.get(from) ?? 0) - amountMils);
        balances.set(to, (balances.get(to) ?? 0) + amountMils);
        included.push(one);
        waiting.delete(id);
        note(`block ${head.num + 1} holds ${id.slice(0, 8)}`);
      }
    }
    head = createBlock(
      head,
      head.num + 1,
      timeMs,
      included,
      included.length ? balances : head.balances,
      forks,
    );
  };

  /** Undoes some of the newest blocks, and builds others in their place. */
  const fork = (size: number) => {
    const depth = Math.min(1 + Math.floor(size * 3), finalAfter - 1);
    if (depth < 1) return;
    forks++;
    const times: number[] = [];
    for (let count = 0; count < depth && head.parent; count++) {
      for (const one of head.transfers) {
        const isLost = stream.deviate({ "lost in the fork": 0.4 * scale }) !== null;
        if (!isLost) waiting.set(one.id, one);
        note(`fork takes ${one.id.slice(0, 8)} out of block ${head.num}${isLost ? " and loses it" : ""}`);
      }
      times.unshift(head.timeMs);
      head = head.parent;
    }
    for (const timeMs of times) produce(timeMs, true);
  };

  const tick = () => {
    const timeMs = EPOCH_MS + Math.round(scheduler.now() / BLOCK_MS) * BLOCK_MS;
    const fault = stream.deviate({ fork: 0.05 * scale, "missed slot": 0.05 * scale });
    if (fault?.kind === "fork") fork(fault.size);
    if (fault?.kind !== "missed slot") {
      produce(timeMs, true);
      publish();
    }
    scheduler.after(BLOCK_MS, tick);
  };

  return {
    view(lagMs) {
      const until = scheduler.now() - lagMs;
      for (let index = views.length - 1; index > 0; index--) {
        const view = views[index] as View;
        if (view.at <= until) return view;
      }
      return views[0] as View;
    },
    submit(transfer, delayMs) {
      scheduler.after(delayMs, () => {
        if (!findTransfer(head, transfer.id)) waiting.set(transfer.id, transfer);
      });
    },
    isWaiting: (id) => waiting.has(id),
    held: new Set(),
    start: () => scheduler.after(BLOCK_MS, tick),
  };
}

/** Returns whether a block after `head` may include a transfer, given the balances after earlier transfers in it. */
export function isValidOn(
  head: Block,
  { id, transfer }: ChainTransfer,
  balances: ReadonlyMap<string, number> = head.balances,
): boolean {
  if (findTransfer(head, id) || (balances.get(transfer.from) ?? 0) < transfer.amountMils) return false;
  const back = (head.num - transfer.refBlockNum) & 0xffff;
  const referred = blockAt(head, head.num - back);
  return referred !== null && prefixOf(referred.id) === transfer.refBlockPrefix;
}

const prefixOf = (blockId: string) => Buffer.from(blockId, "hex").readUInt32LE(4);

function createBlock(
  parent: Block | null,
  num: number,
  timeMs: number,
  transfers: readonly ChainTransfer[],
  balances: ReadonlyMap<string, number>,
  fork: number,
): Block {
  const content = `${parent?.id}/${num}/${timeMs}/${fork}/${transfers.map(({ id }) => id)}`;
  const id =
    num.toString(16).padStart(8, "0") + createHash("sha256").update(content).digest("hex").slice(0, 32);
  return { num, id, timeMs, parent, transfers, balances };
}
