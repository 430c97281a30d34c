import { isLostOnItsWay, type LedgerOfTruth, type Truth } from "./ledger-of-truth.ts";
import { pause } from "./roles.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";
import { settleBody } from "./thief.ts";
import { OWNED_PATH } from "./world.ts";

/** Maximum number of tries: a world may have only one node, which answers half of the questions. */
const TRIES_MOST = 600;
/**
 * Maximum number of tries for a payment that a thief reserved first: it may stay open for longer than a run.
 */
const MEDDLED_TRIES_MOST = 40;
const BETWEEN_MS = 3000;

/** After this time no block can include a transfer of the paying client. */
const LIFE_MS = 62_000;

export type Audit = {
  /** Starts to watch a newly signed payment. */
  watch(payment: Truth): void;
  /** Returns whether all payments were checked. */
  isDone(): boolean;
};

/**
 * Creates the audit of a run. Once all is calm, every payment is sent once more to its address, and a
 * successful one to the facilitator too: content that was charged but not delivered must be delivered now,
 * and delivered content must not be delivered twice.
 */
export function createAudit(
  { violate, note, scheduler }: Stage,
  process: SimulatedProcess,
  truth: LedgerOfTruth,
  given: { facilitatorUrl: string; calmAtMs: number; isQuiet: () => boolean; areOffersShort: boolean },
): Audit {
  let open = 0;
  const ask = async (
    url: string,
    given: { headers: Record<string, string>; body?: string },
    triesMost = TRIES_MOST,
  ) => {
    for (let tries = 0; tries < triesMost; tries++) {
      const method = given.body === undefined ? "GET" : "POST";
      const question = { url, method, headers: given.headers, body: given.body, signal: undefined };
      const answer = await process.ask(question).catch(() => null);
      const isOpen = answer === null || answer.status >= 500 || answer.body.includes("settlement_pending");
      if (!isOpen) return answer;
      await pause(process, BETWEEN_MS);
    }
    return null;
  };

  const check = async (payment: Truth) => {
    const name = `payment ${payment.transfer.ids.legacy.slice(0, 8)}`;
    const triesMost = payment.isMeddledWith ? MEDDLED_TRIES_MOST : TRIES_MOST;
    const answer = await ask(payment.url, { headers: { "x-payment": payment.header } }, triesMost);
    note(`audit of ${name}: ${answer?.status} ${answer?.body.slice(0, 200)}`);
    // A thief who had the payment before the shop may have reserved it, so the payment waits for the
    // thief's key.
    if (!answer) return payment.isMeddledWith ? undefined : violate(`${name}: no end of it`);
    // A shop whose clock was set forward considers its offers expired.
    const isOver = given.areOffersShort && codeOf(answer.body) === "requirements_expired";
    const isExcused = payment.isMeddledWith || isLostOnItsWay(payment) || isOver;
    if (payment.url.endsWith(OWNED_PATH) && payment.deliveries === 1) {
      const visit = await ask(payment.url, { headers: { "x-session": payment.transfer.from } });
      if (!visit?.body.startsWith("owned by")) return violate(`${name}: its owner is not let back in`);
    }
    if (truth.isCharged(payment) && payment.deliveries === 0 && !isExcused)
      return violate(`${name}: charged, and can't be had: ${answer.status} ${codeOf(answer.body)}`);
    if (payment.successes.size === 0) return;
    // Asks as another caller, because no one may receive a success a second time.
    const headers = { "content-type": "application/json" };
    await ask(`${given.facilitatorUrl}/settle`, { headers, body: JSON.stringify(settleBody(payment)) });
  };

  const isDue = (payment: Truth) => {
    const now = scheduler.now();
    if (now < given.calmAtMs) return false;
    const isSettled = given.isQuiet() && payment.deliveries === 1 && truth.isCharged(payment);
    return isSettled || now >= payment.signedAt + LIFE_MS;
  };

  return {
    isDone: () => open === 0,
    watch(payment) {
      open++;
      const run = async () => {
        while (!isDue(payment)) await pause(process, BETWEEN_MS);
        await check(payment);
        open--;
      };
      run().catch((error: unknown) => violate(`audit: ${String(error)}`));
    },
  };
}

function codeOf(body: string): string {
  return /"code":"([a-z_]+)"/.exec(body)?.[1] ?? "";
}
