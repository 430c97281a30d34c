/** A planted fault: in `file`, the only occurrence of `from` becomes `to`. */
export type Mutation = { file: string; from: string; to: string };

/**
 * Returns the text of a file with the fault planted in it. @throws Error if the replaced text does not occur
 * exactly once
 */
export function mutate(text: string, { file, from, to }: Mutation): string {
  const count = text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`mutation out of date: ${file} has ${count} places (not 1) that read\n${from}`);
  return text.replace(from, () => to);
}

const facilitator = (file: string) => `lib/x402/facilitator/${file}.ts`;
const paywall = (file: string) => `lib/x402/paywall/${file}.ts`;
const client = (file: string) => `lib/x402/client/${file}.ts`;
const refunds = (file: string) => `lib/x402/refunds/${file}.ts`;
const approvals = (file: string) => `lib/approvals/${file}.ts`;

/**
 * Faults that the simulation must find, each planted in the current payment code. Those that few seeds find
 * start at `firstSeed`.
 */
export const mutations: ReadonlyArray<Mutation & { name: string; firstSeed?: number }> = [
  {
    name: "every caller gets the success",
    file: facilitator("settle"),
    from: "return record.answeredTo === requester.mark\n",
    to: "return record.answeredTo !== null\n",
  },
  {
    name: "a stranger gets a success that someone else has reserved",
    file: facilitator("settle"),
    from: "owner !== requester.owner &&",
    to: "owner.length === 0 &&",
  },
  {
    name: "a payment is reserved only until its expiry",
    file: facilitator("settle"),
    from: "const KEPT_FOR_OWNER_MS = 24 * 3_600_000;",
    to: "const KEPT_FOR_OWNER_MS = -60_000;",
  },
  {
    name: "a gateway's error counts as the chain's refusal",
    firstSeed: 3346,
    file: "lib/hive/chain-node.ts",
    from: "if (!isAsserted || code === undefined || (rpcCode !== -32003 && rpcCode !== -32000)) return false;",
    to: "if (rpcCode !== 0 || !isAsserted || code === undefined) return true;",
  },
  {
    name: "a repeat with a key counts as another caller",
    file: facilitator("payment-record"),
    from: "const mark = digestOf([idempotencyKey, transfer.ids.legacy, resource]);",
    to: "const mark = randomUUID();",
  },
  {
    name: "a transfer that waits for its block counts as paid",
    file: facilitator("track"),
    from: `if (status.kind === "mempool") return { kind: "open", isTaken: true };`,
    to: `if (status.kind === "mempool") return { kind: "included", txId: id, blockNum: 1, isReversible: true };`,
  },
  {
    name: "one node is believed about a block",
    firstSeed: 3293,
    file: facilitator("track"),
    from: `needsSecond: ({ kind }) => kind === "included" });`,
    to: `needsSecond: ({ kind }) => kind === "gone" });`,
  },
  {
    name: "any block counts as irreversible",
    file: facilitator("track"),
    from: `if (isFinalNeeded && isReversible) return { kind: "open", isTaken: true };`,
    to: `if (isFinalNeeded && !status) return { kind: "open", isTaken: true };`,
  },
  {
    name: "a seller's stricter finality is ignored",
    file: facilitator("settle"),
    from: `payment.finality === "irreversible" ? payment.finality : options.finality;`,
    to: "(payment, options.finality);",
  },
  {
    name: "a payment is never given up",
    firstSeed: 3308,
    file: facilitator("track"),
    from: "if (reachedTimeMs <= record.expirationMs) return false;",
    to: "if (reachedTimeMs > 0) return false;",
  },
  {
    name: "delivered content is delivered again",
    file: paywall("take-payment"),
    from: `phase === "delivered" ||`,
    to: "phase.length === 0 ||",
  },
  {
    name: "content leaves without a record of its delivery",
    firstSeed: 3289,
    file: "lib/x402/next.ts",
    from: `if (begun.kind === "begun") {`,
    to: "if (begun) {",
  },
  {
    name: "a payment counts as delivered before its content exists",
    firstSeed: 3286,
    file: paywall("take-payment"),
    from: `const paid: Claim = { ...claim, phase: "paid", settlement };`,
    to: `const paid: Claim = { ...claim, phase: "delivered", settlement };`,
  },
  {
    name: "a handler that throws uses the payment up",
    firstSeed: 3323,
    file: "lib/x402/next.ts",
    from: "await delivery.fail();\n      if (status",
    to: `if ((await delivery.begin()).kind === "begun") delivery.end("whole");\n      if (status`,
  },
  {
    name: "an answer of 500 uses the payment up",
    firstSeed: 3293,
    file: "lib/x402/next.ts",
    from: "if (hasFailed) await",
    to: "if (response.status >= 600) await",
  },
  {
    name: "a payment is settled before the work that may fail",
    file: paywall("take-payment"),
    from: `settings.paymentFlow === "authorization" && brought.kind === "signed" && isNew && !bought;`,
    to: `settings.paymentFlow === "authorization" && brought.kind === "signed" && !isNew && !bought;`,
  },
  {
    name: "a busy handler's payment is settled after its work",
    file: paywall("payment-flow"),
    from: "status >= 400",
    to: "status >= 500",
  },
  {
    name: "content that breaks off is paid before it exists",
    file: "lib/x402/next.ts",
    from: "if (settlement === null && !hasFailed) response = await",
    to: "if (!settings) response = await",
  },
  {
    name: "each call to the facilitator has a new key",
    file: paywall("take-payment"),
    from: "settle(requestFor(attempt, claim), claim.idempotencyKey)",
    to: "settle(requestFor(attempt, claim), crypto.randomUUID())",
  },
  {
    name: "a settlement is not recorded",
    file: paywall("take-payment"),
    from: `if (!(await claims.change(brought.id, claim, paid))) return`,
    to: `if (!paid) return`,
  },
  {
    name: "spending is not counted",
    file: client("day-book"),
    from: "minutes.set(thisMinute, addMils(minutes.get(thisMinute) ?? NO_MILS, mils));",
    to: "",
  },
  {
    name: "the limit of one payment is not checked",
    firstSeed: 3278,
    file: client("choose-offer"),
    from: "if (offer.amountMils > rules.maxMils)",
    to: "if (offer.amountMils > Number.MAX_SAFE_INTEGER)",
  },
  {
    name: "spending on one host is not counted",
    firstSeed: 3299,
    file: client("day-book"),
    from: "      count(host, mils);",
    to: "",
  },
  {
    name: "a payment with an open outcome counts as a success",
    file: facilitator("answers"),
    from: "success: errorReason === undefined,",
    to: `success: errorReason !== "payment_replayed",`,
  },
  {
    name: "content for a disconnected payer uses the payment up",
    firstSeed: 3286,
    file: "lib/x402/next.ts",
    from: "else if (request.signal.aborted) await delivery.leave();",
    to: `else if (request.signal.aborted) void ((await delivery.begin()).kind === "begun" && delivery.end("whole"));`,
  },
  {
    name: "two payments for one purchase have their turn at once",
    firstSeed: 3278,
    file: paywall("claims"),
    from: "(await store.setIfAbsent(key, paymentId, seconds)) ||",
    to: "seconds > 0 ||",
  },
  {
    name: "a purchase is not remembered",
    file: paywall("payment-attempt"),
    from: "await keepPurchase(",
    to: "await (async (..._unstored: unknown[]) => {})(",
  },
  {
    name: "a copy from a block gets content that its holder has paid for",
    file: paywall("take-payment"),
    from: "!isSameHolder(holder, attempt.brought.holder);",
    to: `holder === "";`,
  },
  {
    name: "content that breaks off uses the payment up",
    firstSeed: 3289,
    file: paywall("deliver"),
    from: "broken: afterBreak(delivering),",
    to: `broken: { ...delivering, phase: "delivered" },`,
  },
  {
    name: "content whose process died uses the payment up",
    firstSeed: 4320,
    file: paywall("take-payment"),
    from: "const next = afterBreak(claim);",
    to: `const next: Claim = { ...claim, phase: "delivered" };`,
  },
  {
    name: "a reader who disconnects early uses the payment up",
    firstSeed: 3301,
    file: paywall("watch-body"),
    from: "Promise.all([end(false), reader.cancel(reason)])",
    to: "Promise.all([end(true), reader.cancel(reason)])",
  },
  {
    name: "a busy handler uses the payment up",
    firstSeed: 3349,
    file: "lib/x402/unserved.ts",
    from: "[408, 425, 429]",
    to: "[]",
  },
  {
    name: "the payer signs again while the first payment may land",
    firstSeed: 3278,
    file: client("payment-fate"),
    from: `return fate ?? "open";`,
    to: `return "over";`,
  },
  {
    name: "pending payments die with the payer's process",
    file: client("buyer"),
    from: "createPaymentsUnderWay(store, account,",
    to: "createPaymentsUnderWay(createMemoryStore(), account,",
  },
  {
    name: "a payment is forgotten as soon as its answer begins",
    firstSeed: 3289,
    file: client("buyer"),
    from: "return answer.untilRead(async (isRead) => {",
    to: "return (await drop(), answer).untilRead(async (isRead) => {",
  },
  {
    name: "any answer to a payment counts as its content",
    firstSeed: 3293,
    file: client("buyer"),
    from: "if (isRead && answer.receipt) await drop();",
    to: "if (isRead) await drop();",
  },
  {
    name: "a claim expires after a second",
    file: paywall("claims"),
    from: "const KEEP_SECONDS = 30 * 24 * 3600;",
    to: "const KEEP_SECONDS = 1;",
  },
  {
    name: "a payment is forgotten before its transfer has expired",
    file: facilitator("ledger"),
    from: "const KEPT_FOR_MS = 7 * 24 * HOUR_MS;",
    to: "const KEPT_FOR_MS = -50_000;",
  },
  {
    name: "a refund is sent before it is recorded",
    file: refunds("paced-refunds"),
    from: "const reserved = await book.write(signed, null);",
    to: `await client.broadcast(signed.transaction).catch(() => {});
      const reserved = await book.write(signed, null);`,
  },
  {
    name: "a refund is signed again while the first transfer may land",
    file: refunds("paced-refunds"),
    from: `outcome.kind === "failed" && outcome.failure === "transaction_expired";`,
    to: `outcome.kind === "failed" || !outcome.isTaken;`,
  },
  {
    name: "two tills refund the same payment",
    firstSeed: 3450,
    file: refunds("refund-record"),
    from: "expect: [[key, earlier?.text ?? null]],",
    to: "expect: earlier ? [[key, earlier.text]] : [],",
  },
  {
    name: "a payment is refunded that is in no final block",
    file: refunds("paced-refunds"),
    from: `if (place.kind !== "included")`,
    to: `if (place.kind === "failed")`,
  },
  {
    name: "more is refunded than was paid",
    file: refunds("paced-refunds"),
    from: "if (amountMils > paid.amountMils)",
    to: "if (amountMils > Number.MAX_SAFE_INTEGER)",
  },
  {
    name: "a refund counts as done while a fork can undo it",
    file: refunds("paced-refunds"),
    from: `...{ expirationMs, amountMils, transaction, finality: "irreversible" },`,
    to: `...{ expirationMs, amountMils, transaction, finality: "included" },`,
  },
  {
    name: "a recorded refund is not continued",
    firstSeed: 3295,
    file: refunds("refund-record"),
    from: "store.range(pendingKey, Number.POSITIVE_INFINITY, MAX_LISTED)",
    to: "store.range(pendingKey, 0, MAX_LISTED)",
  },
  {
    name: "an expired refund is given up",
    firstSeed: 3410,
    file: refunds("paced-refunds"),
    from: "const again = await book.write(await signRefund(record, sent), entry);",
    to: `const again = await book.write({ ...record, state: "done" }, entry);`,
  },
  {
    name: "any signature in the owner's message approves",
    firstSeed: 3285,
    file: approvals("chat-door"),
    from: "if (!(await isOwners(question.text, answer.signature, endsAtMs)) || now() >= endsAtMs) continue;",
    to: "if (now() >= endsAtMs) continue;",
  },
  {
    name: "one node is believed about the owner's key",
    firstSeed: 3294,
    file: paywall("posting-authorities"),
    from: "agreeAmong(distinct, (node)",
    to: "agreeAmong(distinct.slice(0, 1), (node)",
  },
  {
    name: "any key of the owner approves",
    file: paywall("posting-authorities"),
    from: "z.object({ name: z.string(), posting: Authority })",
    to: "z.object({ name: z.string(), active: Authority }).transform((one) => ({ ...one, posting: one.active }))",
  },
  {
    name: "an approval pays for another request",
    firstSeed: 3376,
    file: approvals("approvals"),
    from: "options.every((name) => one[name] === other[name])",
    to: `options.every((name) => name === "request" || name === "url" || one[name] === other[name])`,
  },
  {
    name: "an approval pays another amount",
    firstSeed: 3390,
    file: approvals("approvals"),
    from: "options.every((name) => one[name] === other[name])",
    to: `options.every((name) => name === "amount" || one[name] === other[name])`,
  },
  {
    name: "an approval pays twice",
    file: approvals("approvals"),
    from: "return { next: [...kept, ...without(others, found)], result: taken };",
    to: "return { next: null, result: taken };",
  },
  {
    name: "a payment that waits for its owner is made",
    file: approvals("approvals"),
    from: `one.state === "approved" && isSame(one.wanted, wanted)`,
    to: `isOpen(one) && isSame(one.wanted, wanted)`,
  },
  {
    name: "two processes write the list of approvals over each other",
    firstSeed: 3361,
    file: approvals("approvals"),
    from: ": store.replace(key, text, written)))",
    to: `: store.replace(key, (await store.get(key)) ?? "", written)))`,
  },
  {
    name: "an approval lasts for an hour",
    firstSeed: 3307,
    file: approvals("approvals"),
    from: "endsAtMs <= now() || (state",
    to: "endsAtMs + 3_000_000 <= now() || (state",
  },
  {
    name: "questions and approvals die with the process",
    file: approvals("asking-fetch"),
    from: "createApprovals(store, {",
    to: "createApprovals(createMemoryStore(), {",
  },
  {
    name: "a sent transfer of a little less than the price counts",
    file: facilitator("sent-transfers"),
    from: "if (paid === amountMils) return null;",
    to: "if (paid >= amountMils - 1 && paid <= amountMils) return null;",
  },
  {
    name: "one node is believed about the transfers in a block",
    firstSeed: 3375,
    file: facilitator("transfer-index"),
    from: "readTransferBlock(node, blockNum, isTicketMemo));",
    to: "readTransferBlock(node, blockNum, isTicketMemo), { needsSecond: () => false });",
  },
  {
    name: "a second transfer is owed back before one of them counts",
    file: facilitator("sent-transfers"),
    from: "isCounted(use) ? !isUsed(transfer) : use !== null || !isOfPrice(transfer),",
    to: "isCounted(use) ? !isUsed(transfer) : use !== null || !isOfPrice(transfer) || transfer !== sent[0],",
  },
  {
    name: "a wrong transfer is sent back although a fork can undo it",
    file: refunds("find-sent-transfer"),
    from: "await untilFinal(clock, blockNum, pollMs);",
    to: "",
  },
  {
    name: "a wrong transfer is in no book",
    file: paywall("note-returns"),
    from: "transfers.map((transfer) => noteInBook(guarded, book, transfer))",
    to: `transfers.map(async (transfer) => (await guarded.get(book.account + transfer.txId), "noted" as const))`,
  },
  {
    name: "a repeat with a key counts as another caller of a claim",
    firstSeed: 3399,
    file: facilitator("sent-transfers"),
    from: "const mark = idempotencyKey === undefined ? randomUUID() : markOf(idempotencyKey, payment);",
    to: `const mark = markOf(idempotencyKey ?? "", payment) + randomUUID();`,
  },
  {
    name: "an answer that came while nobody listened is not read",
    firstSeed: 3337,
    file: approvals("chat-door"),
    from: "for (const post of posts) readLater(post);",
    to: "",
  },
  {
    name: "an answer is lost with a call of the store",
    firstSeed: 72,
    file: approvals("chat-door"),
    from: `.then(() => read(post))
      .catch(startOver)`,
    to: `.then(() => read(post))
      .catch(onFault)`,
  },
  {
    name: "anyone in the thread refuses",
    firstSeed: 3310,
    file: approvals("chat-door"),
    from: "if (post.userId !== ownerId || queued",
    to: "if (queued",
  },
  {
    name: "a question that another process has paid for is shown as expired",
    firstSeed: 3408,
    file: approvals("chat-door"),
    from: `if (rest?.state === "expired" && question)`,
    to: `if (rest?.state !== "waiting" && question)`,
  },
  {
    name: "a receipt leaves out what was spent today",
    file: approvals("asking-fetch"),
    from: "return formatMils(leastMils(left(perDay, lastDay), left",
    to: "return formatMils(leastMils(left(perDay, undefined), left",
  },
];
