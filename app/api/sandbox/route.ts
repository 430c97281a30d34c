import type { SandboxInfo } from "../../../lib/config.ts";
import { CodedError } from "../../../lib/errors.ts";
import { readAccounts } from "../../../lib/hive/accounts.ts";
import type { HiveClient } from "../../../lib/hive/client.ts";
import { route } from "../../../lib/services/services.ts";
import { formatMillis } from "../../../lib/x402/amount.ts";

/** Accounts with what they own now, keys and addresses of the sandbox; on live settings there is no such thing. */
export const GET = route({}, async ({ services: { config, hive } }): Promise<SandboxInfo> => {
  const { sandbox } = config;
  if (!sandbox) throw new CodedError("not_found");
  const owned = await readOwned(
    hive,
    sandbox.accounts.map(({ name }) => name),
  ).catch(() => null);
  const accounts = sandbox.accounts.map((account) => ({
    ...account,
    hbd: owned?.get(account.name) ?? account.hbd,
  }));
  return { ...sandbox, accounts };
});

async function readOwned(hive: HiveClient, names: string[]): Promise<Map<string, string>> {
  const accounts = await readAccounts(hive, names);
  return new Map([...accounts].map(([name, { hbdMillis }]) => [name, formatMillis(hbdMillis)]));
}
