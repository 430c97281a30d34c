import { readMils } from "../../../lib/mils.ts";
import { sendTransfer } from "../../harness/send-transfer.ts";
import { admitByHiveAuth } from "../../harness/start-hiveauth-relay.ts";
import { openChain } from "./open-chain.ts";

/**
 * Admits a page as a wallet of HiveAuth that has opened its link, and then sends the transfer that the page asks for. The
 * wallet stays until its relay closes.
 */
export async function payByHiveAuth(url: string, link: string): Promise<void> {
  const chain = await openChain(url);
  await admitByHiveAuth(link, ({ operation: [, { from, to, amount, memo }] }) =>
    sendTransfer(chain, { from, to, mils: readMils(amount), memo }),
  );
}
