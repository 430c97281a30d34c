import { isChainId, MAINNET_CHAIN_ID } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import type { HiveClient } from "../../hive/client.ts";
import type { Mils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import { assertKnown, isWebAddress, readAmountOption } from "../check-options.ts";
import { assertCatalogue, type CatalogueOptions } from "../discovery/options.ts";
import { type Finality, finalities } from "./finality.ts";

export type FacilitatorOptions = {
  /** The store of payments; facilitators of one payee must share it. */
  store?: Store;
  /** Without `store`: a Redis server (`redis://` or `rediss://`) … */
  redisUrl?: string;
  /** … or, without that too, the folder of a SQLite file (default `.data`). */
  dataDir?: string;
  /** The chain: your own client, or the addresses of nodes (default: public ones). */
  client?: HiveClient;
  nodes?: readonly string[];
  /**
   * Public nodes of the chain, listed in `supported` because the payment page of a private chain needs them.
   */
  publicNodes?: readonly string[];
  /** Id of the chain behind `nodes` (default: the main chain). */
  chainId?: string;
  /**
   * Name of the chain in answers, if it has several names. It must belong to the chain id; the other names
   * are accepted too.
   */
  network?: string;
  /**
   * The point from which a payment counts as paid (default `included`); requirements can ask for more in
   * `extra.finality`.
   */
  finality?: Finality;
  /**
   * The number of nodes that must confirm that a payment is valid and in a block, if two or more are
   * configured (default 2). With 1, small payments proceed on one node's answer if no other node answers.
   */
  quorum?: 1 | 2;
  /** With a quorum of 1, the amount from which two nodes must agree on a payment (default "100.000 HBD"). */
  twoNodesFrom?: string;
  /** Milliseconds that `settle` waits for the block before it answers `settlement_pending` (default 8000). */
  waitMs?: number;
  /** The interval between reads of new blocks, which all waiting payments share (default 500). */
  pollMs?: number;
  /** Milliseconds between checks of open payments (default 15000). */
  recoverEveryMs?: number;
  /**
   * Lists resources that were paid for, if their sellers opted in, and asks these sellers for their descriptions
   * (default false).
   */
  catalogue?: boolean | CatalogueOptions;
  /**
   * An account whose sent transfers are looked through every hour, two days later: those that bought nothing, because
   * their claims were never presented again, are written into its books in this store. Only for an account whose
   * payments no other facilitator settles, unless it shares this store. Strangers' requests don't delay those about it.
   */
  sweeps?: string;
  onEvent?: (event: SettlementEvent) => void;
  /** Called with every answer of `verify` and `settle`, for metrics. */
  onAnswer?: (answer: PaymentAnswer) => void;
  /**
   * Called when this machine's clock differs from the chain's by more than 5 s, with the seconds it is ahead (negative:
   * behind), and with 0 when it is right again.
   */
  onClock?: (aheadSeconds: number) => void;
  /** Called with errors from checks of open payments. */
  onFault?: (error: unknown) => void;
};

export type SettleOptions = {
  /** A repeat of the same body with this key gets the same answer. */
  idempotencyKey?: string;
  /**
   * Aborted when the caller disconnects, so that a success that no one receives stays for the next caller.
   */
  signal?: AbortSignal;
};

export type PaymentAnswer = {
  call: "verify" | "settle";
  /** `ok`, a refusal reason of the protocol, or the code of the error. */
  outcome: string;
  seconds: number;
  /** Absent if the request could not be parsed that far. */
  payer?: string;
  txId?: string;
};

const known = {
  store: true,
  redisUrl: true,
  dataDir: true,
  client: true,
  nodes: true,
  publicNodes: true,
  chainId: true,
  network: true,
  finality: true,
  quorum: true,
  twoNodesFrom: true,
  waitMs: true,
  pollMs: true,
  recoverEveryMs: true,
  catalogue: true,
  sweeps: true,
  onEvent: true,
  onAnswer: true,
  onClock: true,
  onFault: true,
} as const satisfies Record<keyof FacilitatorOptions, true>;

/**
 * Refuses unknown and invalid options, because callers who misspell one would settle on looser terms than
 * they think.
 * @throws TypeError that names the invalid option
 */
export function assertSensible(options: FacilitatorOptions): void {
  assertKnown(options, known);
  if ([options.store, options.redisUrl, options.dataDir].filter((place) => place !== undefined).length > 1)
    throw new TypeError("pass only one of store, redisUrl and dataDir");
  if (![undefined, ...finalities].includes(options.finality))
    throw new TypeError("finality must be included or irreversible");
  if (![undefined, 1, 2].includes(options.quorum)) throw new TypeError("quorum must be 1 or 2");
  readTwoNodesFrom(options);
  assertCatalogue(options.catalogue);
  if (options.sweeps !== undefined && !isAccountName(options.sweeps))
    throw new TypeError("sweeps must be a chain account name");
  for (const name of ["waitMs", "pollMs", "recoverEveryMs"] as const)
    if (!((options[name] ?? 0) >= 0)) throw new TypeError(`${name} must be a number of at least 0`);
  if (options.nodes?.length === 0) throw new TypeError("nodes must name at least one node");
  if (!(options.publicNodes ?? []).every(isWebAddress)) throw new TypeError("publicNodes must be addresses");
  const { chainId = MAINNET_CHAIN_ID, client, nodes } = options;
  if (!isChainId(chainId)) throw new TypeError("chainId must be 64 hex digits");
  if (client && (nodes !== undefined || (options.chainId ?? client.chainId) !== client.chainId))
    throw new TypeError("client already has nodes and a chain id: omit nodes and chainId");
  if (!client && !nodes && chainId !== MAINNET_CHAIN_ID)
    throw new TypeError("nodes must name nodes of this chain: the public ones belong to mainnet");
}

/** Reads the amount from which two nodes must agree. @throws TypeError if it is not an amount */
export function readTwoNodesFrom({ twoNodesFrom = "100.000 HBD" }: FacilitatorOptions): Mils {
  return readAmountOption(twoNodesFrom, "twoNodesFrom");
}

/**
 * An event of a payment. `recovered`: an earlier caller had left it open; `resent`: the chain had lost it;
 * `undone`: a fork removed the settled payment from its block, so it is open again.
 */
export type SettlementEvent = {
  kind: "settled" | "failed" | "pending" | "recovered" | "resent" | "undone";
  txId: string;
  payer: string;
  /** The amount, such as "0.050 HBD". */
  amount: string;
};
