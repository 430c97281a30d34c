import { chatGateway } from "../../../lib/chat/session/gateway.ts";
import { currentConfig, type SandboxInfo } from "../../../lib/config.ts";
import { CodedError } from "../../../lib/errors.ts";
import { readAccounts } from "../../../lib/hive/accounts.ts";
import { route } from "../../../lib/http/route.ts";
import { formatMillis } from "../../../lib/x402/amount.ts";

/** Accounts with what they own now, keys and addresses of the sandbox; on live settings there is no such thing. */
export const GET = route({}, async (): Promise<SandboxInfo> => {
  const { sandbox } = currentConfig();
  if (!sandbox) throw new CodedError("not_found");
  const owned = await readOwned(sandbox.accounts.map(({ name }) => name)).catch(() => null);
  const accounts = sandbox.accounts.map((account) => ({
    ...account,
    hbd: owned?.get(account.name) ?? account.hbd,
  }));
  return { ...sandbox, accounts };
});

async function readOwned(names: string[]): Promise<Map<string, string>> {
  const { hive } = chatGateway();
  const accounts = await readAccounts(hive, names);
  return new Map([...accounts].map(([name, { hbdMillis }]) => [name, formatMillis(hbdMillis)]));
}

export { preflight as OPTIONS } from "../../../lib/http/headers.ts";
