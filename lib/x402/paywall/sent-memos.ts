import { z } from "zod";
import { readBytes } from "../../async/read-body.ts";
import { distinctNodes } from "../../chains.ts";
import { agreeAmong } from "../../hive/agree-among.ts";
import { isTicketMemo } from "../ticket-memo.ts";

/** The bit of the operation "transfer" in the chain's filters. */
const TRANSFERS = 4;
const NEWEST = -1;
const LAST_TRANSFERS = 250;
/** Room for these transfers with the longest memos, each sign of which may take six bytes. */
const MAX_BYTES = 4_194_304;
const TIMEOUT_MS = 5000;

const Transfer = z.object({ from: z.string(), to: z.string(), memo: z.string() });
const Entry = z.tuple([z.number(), z.object({ op: z.tuple([z.literal("transfer"), Transfer]) })]);
const History = z.object({ result: z.array(Entry).max(LAST_TRANSFERS) });
/** The code with which hived reports no transfer among the newest 2000 operations, beyond which it does not look. */
const NOTHING_FOUND = -32003;
const NothingFound = z.object({ error: z.object({ code: z.literal(NOTHING_FOUND) }) }).transform(() => []);
const Transfers = z.union([History.transform(({ result }) => result), NothingFound]);

/**
 * Returns the memos of tickets in the last transfers of an account, newest first, as any of two nodes shows them. They
 * are hints, because one node alone can make them up, and older ones are missing.
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
  return Transfers.parse(JSON.parse(new TextDecoder().decode(bytes)))
    .map(([, { op }]) => op[1])
    .filter(({ from, memo }) => from === account && isTicketMemo(memo))
    .map(({ memo }) => memo)
    .reverse();
}
