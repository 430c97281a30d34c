import type { HiveClient } from "../../hive/client.ts";
import type { Store } from "../../store/store.ts";
import { MAINNET_CHAIN_ID } from "../network.ts";
import { Finality } from "./read-request.ts";
import type { SettlementEvent } from "./settlement-event.ts";

export type FacilitatorOptions = {
  /** Where payments are kept; facilitators of one payee must share it. */
  store?: Store;
  /** Without `store`: a Redis server (`redis://` or `rediss://`) … */
  redisUrl?: string;
  /** … or, without that too, the folder of a SQLite file (default `.data`). */
  dataDir?: string;
  /** The chain; a client of one's own, or the addresses of nodes (default: public ones). */
  client?: HiveClient;
  nodes?: readonly string[];
  /** Id of the chain behind `nodes` (default: mainnet). */
  chainId?: string;
  /** Network id in answers (default `chain:mainnet`, whose other names are accepted too; elsewhere `chain:sandbox`). */
  network?: string;
  /** What counts as paid (default `included`); requirements may ask for more in `extra.finality`. */
  finality?: Finality;
  /** From this amount on (1/1000 HBD, default 100.000 HBD), two nodes must agree about authority and inclusion. */
  twoNodesFromMillis?: number;
  /** How long `settle` waits for the block before it answers `settlement_pending` (default 8000). */
  waitMs?: number;
  /** How often it asks for it (default 500). */
  pollMs?: number;
  /** How often open payments are looked after (default 15000). */
  recoverEveryMs?: number;
  onEvent?: (event: SettlementEvent) => void;
  /** Called with every answer of `verify` and `settle`, for who counts them. */
  onAnswer?: (answer: PaymentAnswer) => void;
  /** Called with what went wrong while open payments were looked after. */
  onFault?: (error: unknown) => void;
};

export type PaymentAnswer = {
  call: "verify" | "settle";
  /** `ok`, or why not: a reason of the protocol, or the code of the error. */
  outcome: string;
  seconds: number;
};

/**
 * Untyped callers who misspell an option would settle on looser terms than they think.
 * @throws TypeError naming the option that is wrong.
 */
export function refuseNonsense(options: FacilitatorOptions): void {
  if (!Finality.optional().safeParse(options.finality).success)
    throw new TypeError("finality must be included or irreversible");
  for (const name of ["twoNodesFromMillis", "waitMs", "pollMs", "recoverEveryMs"] as const)
    if (!((options[name] ?? 0) >= 0)) throw new TypeError(`${name} must be a number, and not below 0`);
  if (options.nodes?.length === 0) throw new TypeError("nodes must name at least one");
  if (!/^[0-9a-f]{64}$/.test(options.chainId ?? MAINNET_CHAIN_ID))
    throw new TypeError("chainId must be 64 hex digits");
}
