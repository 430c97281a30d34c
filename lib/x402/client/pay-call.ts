import { decodeBase64Json, MAX_SENT_CHARACTERS } from "../header.ts";
import type { Buyer, Order, SellerAnswer } from "./buyer.ts";
import { isPending, readReceipt, type SentPayment } from "./made-payment.ts";
import type { AnswerToPaidCall, PaidCall } from "./paid-call.ts";
import { subjectOf } from "./payments-under-way.ts";
import { codeIn, entriesIn } from "./read-offers.ts";
import { wait } from "./wait.ts";

const MAX_TRIES = 6;
/** The most times that a server is asked for a sent transfer that no block has yet. */
const MAX_UNSEEN = 60;
const WAIT_SECONDS = 1;

/** Pays a call of any protocol, and returns its answer. @throws PaymentError; the errors of the call */
export async function payCall<Answer>({ buy }: Buyer, call: PaidCall<Answer>): Promise<Answer> {
  const url = new URL(call.url).href;
  const order: Order<Answer> = {
    ...{ url, signal: call.signal ?? new AbortController().signal, allowsNames: true },
    subject: subjectOf({ method: "call", body: new TextEncoder().encode(call.request) }, url),
    entries: entriesIn(call.required),
    send: async (payment, isRepeat) => toSellerAnswer(await sendPatiently(call, payment, isRepeat)),
  };
  return buy({ ...order, payAgain: (entries) => buy({ ...order, entries }) });
}

/**
 * Makes a call up to six times, each time with the same payment, until its answer is something other than
 * "try again". The payment cannot be charged twice.
 */
async function sendPatiently<Answer>(
  { send, signal }: PaidCall<Answer>,
  { header, sentUntilMs }: SentPayment,
  isRepeat: boolean,
): Promise<AnswerToPaidCall<Answer>> {
  const payment = decodeBase64Json(header, MAX_SENT_CHARACTERS) as Parameters<typeof send>[0];
  for (let tries = 1, unseen = 0; ; tries++) {
    const answer = await send(payment, { isRepeat: isRepeat || tries > 1 });
    const { required, receipt, isUnserved } = answer;
    const isUnseen = sentUntilMs !== undefined && codeIn(required, receipt, required) === "payment_not_seen";
    if (isUnseen && ++unseen > MAX_UNSEEN) return answer;
    if (!isUnseen && (!(isUnserved || isPending(receipt)) || tries - unseen >= MAX_TRIES)) return answer;
    await wait(WAIT_SECONDS, signal);
  }
}

function toSellerAnswer<Answer>(answer: AnswerToPaidCall<Answer>): SellerAnswer<Answer> {
  const { value, receipt, required, isUnserved } = answer;
  const isRefused = required !== undefined || isPending(receipt);
  return {
    ...{ value, status: null, receipt: readReceipt(receipt) },
    kind: isUnserved ? "unserved" : isRefused ? "refused" : "served",
    readRefusal: async () => ({ code: codeIn(required, receipt, required), entries: entriesIn(required) }),
    async untilRead(onEnd) {
      await onEnd(true);
      return value;
    },
    discard: async () => {},
  };
}
