import { z } from "zod";

const TIMEOUT_MS = 30_000;

export const Sandbox = z.object({
  accounts: z.array(z.object({ name: z.string(), keys: z.record(z.string(), z.string()) })),
  chain: z.object({ url: z.string(), chainId: z.string() }),
});
export type Sandbox = z.infer<typeof Sandbox>;

export const ArticleList = z.object({
  articles: z.array(z.object({ slug: z.string(), title: z.string(), price: z.string() })).min(1),
});
export const Article = z.object({ title: z.string(), body: z.string(), payer: z.string(), txId: z.string() });

/** The private key (WIF) that a sandbox tells of one of its accounts. @throws Error where it tells none */
export function keyOf(sandbox: Sandbox, account: string, role: "posting" | "active"): string {
  const key = sandbox.accounts.find(({ name }) => name === account)?.keys[role];
  if (key === undefined) throw new Error(`the sandbox tells no ${role} key of ${account}`);
  return key;
}

/** Asks for JSON of a known shape. @throws Error, fit to be shown, for another status or no answer */
export async function read<T>(
  address: string,
  status: number,
  schema: z.ZodType<T>,
  init?: RequestInit,
): Promise<T> {
  const response = await ask(address, init);
  if (response.status !== status)
    throw new Error(`${address} answered ${response.status} instead of ${status}; is it a running sandbox?`);
  return schema.parse(await response.json());
}

/** Sends a request with a deadline. @throws Error, fit to be shown, when there is no answer */
export async function ask(address: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    throw new Error(`${address} can't be reached; start the sandbox with npm run quickstart`, { cause });
  }
}
