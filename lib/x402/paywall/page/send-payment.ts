import { wait } from "../../client/wait.ts";
import { HEADER_PAYMENT, HEADER_REDIRECT } from "../../header.ts";
import { unservedBelow500 } from "../../unserved.ts";
import { texts } from "./data.ts";
import { say } from "./elements.ts";
import { isContent } from "./take-content.ts";

const MAX_TRIES = 20;
const MAX_WAIT_SECONDS = 10;
const WAIT_SECONDS = 2;
const pending: readonly number[] = [...unservedBelow500, 503];

/**
 * Sends a payment until it is answered. Each attempt sends the same payment, so it cannot be charged twice.
 * @throws Error with a sentence for the payer; the TypeError of `fetch`
 */
export async function sendPayment(header: string): Promise<Response> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const response = await fetch(location.href, {
      headers: {
        ...{ [HEADER_PAYMENT]: header, [HEADER_REDIRECT]: "reveal" },
        accept: "application/json, text/html;q=0.9, */*;q=0.8",
      },
      cache: "no-store",
      redirect: "error",
    });
    if (isContent(response) || response.status === 402) return response;
    if (!pending.includes(response.status)) throw new Error(texts.failed);
    say(texts.onItsWay);
    const seconds = Number(response.headers.get("retry-after")) || WAIT_SECONDS;
    await wait(Math.min(seconds, MAX_WAIT_SECONDS));
  }
  throw new Error(texts.slow);
}
