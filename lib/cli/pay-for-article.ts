import type { z } from "zod";
import { environment } from "../config.ts";
import { paymentAnswers, type SandboxAccount } from "../contract/payment-answers.ts";
import { readEnvFile } from "../env-file.ts";
import { signPayment } from "../x402/client/index.ts";
import { decodePayment } from "../x402/codec.ts";
import { parsePaymentHeader } from "../x402/paywall/read-payment.ts";
import { PaymentRequired, SettleResponse, VerifyResponse } from "../x402/schemas.ts";

const PAYER = "alice";
const MAX_TRIES = 10;

/**
 * Has alice pay for the first article of a running sandbox and reports each step.
 * @throws Error with a printable message if a step fails
 */
export async function payForArticle(baseUrl: string, tell: (line: string) => void): Promise<void> {
  const sandbox = await read(`${baseUrl}/api/sandbox`, 200, Sandbox);
  const activeKey = keyOf(sandbox, PAYER, "active");
  const { articles } = await read(`${baseUrl}/api/demo/articles`, 200, Articles);
  const [article] = articles;
  if (!article) throw new Error("the sandbox sells no articles");
  const address = `${baseUrl}/api/demo/articles/${article.slug}`;
  tell(`1. GET ${address}`);

  const { accepts } = await read(address, 402, PaymentRequired);
  const [requirements] = accepts;
  if (!requirements) throw new Error(`${address} is not for sale`);
  const { maxAmountRequired, payTo, network, validBefore } = requirements;
  tell(`   402: ${maxAmountRequired} to ${payTo} on ${network}, valid until ${validBefore}`);

  const { url, chainId } = sandbox.chain;
  const header = await signPayment({
    account: PAYER,
    activeKey,
    requirements,
    nodes: [url],
    chainId,
    network,
  });
  const payment = decodePayment(header);
  const { expiration, signatures } = payment.payload.signedTransaction;
  tell(`2. ${PAYER} signs the transfer, without sending it to the chain`);
  tell(`   memo x402:${payment.payload.nonce}, expires ${expiration}Z`);
  tell(`   signature ${signatures[0]?.slice(0, 24)}…`);

  const body = JSON.stringify({ x402Version: 1, paymentPayload: payment, paymentRequirements: requirements });
  const verified = await read(`${baseUrl}/api/x402/verify`, 200, VerifyResponse, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (!verified.isValid) throw new Error(`the facilitator refuses the payment: ${verified.invalidReason}`);
  tell(`3. POST /api/x402/verify: valid, payer ${verified.payer}; nothing has moved yet`);

  tell("4. GET again, with the payment in x-payment; the server settles it");
  const paid = await sendPaid(address, header);
  const receipt = SettleResponse.parse(JSON.parse(atob(paid.headers.get("x-payment-response") ?? "")));
  const brought = parsePaymentHeader({ version: 1, text: header }, [network]);
  const isTaken = typeof brought !== "string" && brought.id === receipt.txId;
  const outcome = isTaken ? "settled" : `${PAYER} bought it before, nothing is taken`;
  tell(`   ${outcome}: transaction ${receipt.txId} in block ${receipt.blockNum}`);

  const { title, body: text } = Article.parse(await paid.json());
  tell(`5. ${paid.status}: "${title}", ${text.split(/\s+/).length} words`);
  tell(`   ${text.slice(0, 140).trimEnd()}…`);
  tell(`6. Receipt (x-payment-response): ${JSON.stringify(receipt)}`);
}

async function sendPaid(address: string, header: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await ask(address, { headers: { "x-payment": header } });
    if (response.status === 200) return response;
    if (response.status !== 503 || tries >= MAX_TRIES)
      throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

const TIMEOUT_MS = 30_000;

const { Article, Articles } = paymentAnswers;
/** A sandbox with its own chain. */
const Sandbox = paymentAnswers.Sandbox.extend({ chain: paymentAnswers.Sandbox.shape.chain.unwrap() });

/**
 * Returns the private key (WIF) that a sandbox publishes for one of its accounts. @throws Error if it publishes none
 */
export function keyOf(
  sandbox: { accounts: ReadonlyArray<Pick<SandboxAccount, "name" | "keys">> },
  account: string,
  role: "posting" | "active",
): string {
  const key = sandbox.accounts.find(({ name }) => name === account)?.keys[role];
  if (key === undefined) throw new Error(`the sandbox tells no ${role} key of ${account}`);
  return key;
}

/** Requests JSON of a known schema. @throws Error with a printable message for another status or no answer */
async function read<T>(
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

/** Sends a request with a deadline. @throws Error with a printable message if there is no answer */
async function ask(address: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    throw new Error(`${address} can't be reached; start the sandbox with npm run quickstart`, { cause });
  }
}

/**
 * Returns the address of the gateway that a demo uses: BASE_URL, or else PORT on this machine.
 * @throws ConfigError as `readEnvFile` does
 */
export function gatewayAddress(): string {
  readEnvFile();
  const { BASE_URL, PORT = "3000" } = environment();
  return BASE_URL ?? `http://127.0.0.1:${PORT}`;
}
