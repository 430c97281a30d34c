import { z } from "zod";
import { readBytes } from "../../async/read-body.ts";
import { distinctNodes } from "../../chains.ts";
import { agreeAmong } from "../../hive/agree-among.ts";
import { isTicketMemo } from "../ticket-memo.ts";

/** The bit of the operation "transfer" in the chain's filters. */
const TRANSFERS = 4;
const NEWEST = -1;
/** The longest history that nodes give at once. */
const LAST_TRANSFERS = 1000;
/** Room for these transfers with memos of a usual length. */
const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 5000;

const Transfer = z.object({ from: z.string(), to: z.string(), memo: z.string() });
const Entry = z.tuple([z.number(), z.object({ op: z.tuple([z.literal("transfer"), Transfer]) })]);
const History = z.object({ result: z.array(Entry).max(LAST_TRANSFERS) });

/**
 * Returns the memos of tickets in the last transfers of an account, newest first, as any of two nodes shows them. They
 * are hints, because one node alone can make them up.
 * @throws CodedError `chain_unavailable`
 */
export async function readSentMemos(nodes: readonly string[], account: string): Promise<string[]> {
  const views = await agreeAmong(distinctNodes(nodes), (node) => readMemos(node, account), {
    isSame: () => true,
    isOneEnough: true,
    onSkip: () => {},
    isSilence: () => true,
  });
  return [...new Set(views.flat())];
}

async function readMemos(node: string, account: string): Promise<string[]> {
  const params = [account, NEWEST, LAST_TRANSFERS, TRANSFERS];
  const response = await fetch(node, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "condenser_api.get_account_history", params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const bytes = await readBytes(response.body, MAX_BYTES);
  if (!bytes) throw new Error("the history is too long");
  return History.parse(JSON.parse(new TextDecoder().decode(bytes)))
    .result.map(([, { op }]) => op[1])
    .filter(({ from, memo }) => from === account && isTicketMemo(memo))
    .map(({ memo }) => memo)
    .reverse();
}
