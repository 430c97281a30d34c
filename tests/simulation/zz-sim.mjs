// tests/simulation/simulate.ts
import { parseArgs } from "node:util";

// tests/simulation/mutations.ts
function mutate(text, { file, from: from2, to }) {
  const count2 = text.split(from2).length - 1;
  if (count2 !== 1)
    throw new Error(`mutation out of date: ${file} has ${count2} places (not 1) that read
${from2}`);
  return text.replace(from2, () => to);
}
var facilitator = (file) => `lib/x402/facilitator/${file}.ts`;
var paywall = (file) => `lib/x402/paywall/${file}.ts`;
var client = (file) => `lib/x402/client/${file}.ts`;
var mutations = [
  {
    name: "every caller gets the success",
    file: facilitator("settle"),
    from: "return record.answeredTo === requester.mark\n",
    to: "return record.answeredTo !== null\n"
  },
  {
    name: "a stranger gets a success that someone else has reserved",
    file: facilitator("settle"),
    from: "owner !== requester.owner &&",
    to: "owner.length === 0 &&"
  },
  {
    name: "a payment is reserved only until its expiry",
    file: facilitator("settle"),
    from: "const KEPT_FOR_OWNER_MS = 24 * 3_600_000;",
    to: "const KEPT_FOR_OWNER_MS = -60_000;"
  },
  {
    name: "a gateway's error counts as the chain's refusal",
    firstSeed: 3346,
    file: "lib/hive/chain-node.ts",
    from: "if (!isAsserted || code === undefined || (rpcCode !== -32003 && rpcCode !== -32000)) return false;",
    to: "if (rpcCode !== 0 || !isAsserted || code === undefined) return true;"
  },
  {
    name: "a repeat with a key counts as another caller",
    file: facilitator("payment-record"),
    from: "const mark = digestOf([idempotencyKey, transfer.ids.legacy, resource]);",
    to: "const mark = randomUUID();"
  },
  {
    name: "a transfer that waits for its block counts as paid",
    file: facilitator("track"),
    from: `if (status.kind === "mempool") return { kind: "open", isTaken: true };`,
    to: `if (status.kind === "mempool") return { kind: "included", txId: id, blockNum: 1, isReversible: true };`
  },
  {
    name: "one node is believed about a block",
    firstSeed: 3293,
    file: facilitator("track"),
    from: `needsSecond: ({ kind }) => kind === "included" });`,
    to: `needsSecond: ({ kind }) => kind === "gone" });`
  },
  {
    name: "any block counts as irreversible",
    file: facilitator("track"),
    from: `if (isFinalNeeded && isReversible) return { kind: "open", isTaken: true };`,
    to: `if (isFinalNeeded && !status) return { kind: "open", isTaken: true };`
  },
  {
    name: "a seller's stricter finality is ignored",
    file: facilitator("settle"),
    from: `payment.finality === "irreversible" ? payment.finality : options.finality;`,
    to: "(payment, options.finality);"
  },
  {
    name: "a payment is never given up",
    firstSeed: 3308,
    file: facilitator("track"),
    from: "if (reachedTimeMs <= record.expirationMs) return false;",
    to: "if (reachedTimeMs > 0) return false;"
  },
  {
    name: "delivered content is delivered again",
    file: paywall("take-payment"),
    from: `phase === "delivered" ||`,
    to: "phase.length === 0 ||"
  },
  {
    name: "content leaves without a record of its delivery",
    firstSeed: 3289,
    file: "lib/x402/next.ts",
    from: `if (begun.kind === "begun") {`,
    to: "if (begun) {"
  },
  {
    name: "a payment counts as delivered before its content exists",
    firstSeed: 3286,
    file: paywall("take-payment"),
    from: `const paid: Claim = { ...claim, phase: "paid", settlement };`,
    to: `const paid: Claim = { ...claim, phase: "delivered", settlement };`
  },
  {
    name: "a handler that throws uses the payment up",
    firstSeed: 3323,
    file: "lib/x402/next.ts",
    from: "await delivery.fail();\n      if (status",
    to: `if ((await delivery.begin()).kind === "begun") delivery.end("whole");
      if (status`
  },
  {
    name: "an answer of 500 uses the payment up",
    firstSeed: 3293,
    file: "lib/x402/next.ts",
    from: "if (hasFailed) await",
    to: "if (response.status >= 600) await"
  },
  {
    name: "a payment is settled before the work that may fail",
    file: paywall("take-payment"),
    from: `settings.paymentFlow === "authorization" && isNew && !bought;`,
    to: `settings.paymentFlow === "authorization" && !isNew && !bought;`
  },
  {
    name: "a busy handler's payment is settled after its work",
    file: paywall("payment-flow"),
    from: "status >= 400",
    to: "status >= 500"
  },
  {
    name: "content that breaks off is paid before it exists",
    file: "lib/x402/next.ts",
    from: "if (settlement === null && !hasFailed) response = await",
    to: "if (!settings) response = await"
  },
  {
    name: "each call to the facilitator has a new key",
    file: paywall("take-payment"),
    from: "settle(requestFor(attempt, claim), claim.idempotencyKey)",
    to: "settle(requestFor(attempt, claim), crypto.randomUUID())"
  },
  {
    name: "a settlement is not recorded",
    file: paywall("take-payment"),
    from: `if (!(await claims.change(brought.id, claim, paid))) return`,
    to: `if (!paid) return`
  },
  {
    name: "spending is not counted",
    file: client("day-book"),
    from: "minutes.set(thisMinute, (minutes.get(thisMinute) ?? 0) + millis);",
    to: ""
  },
  {
    name: "the limit of one payment is not checked",
    firstSeed: 3278,
    file: client("choose-offer"),
    from: "if (offer.amountMillis > rules.maxMillis)",
    to: "if (offer.amountMillis > Number.MAX_SAFE_INTEGER)"
  },
  {
    name: "spending on one host is not counted",
    firstSeed: 3299,
    file: client("day-book"),
    from: "      count(host, millis);",
    to: ""
  },
  {
    name: "a payment with an open outcome counts as a success",
    file: facilitator("facilitator-error"),
    from: "success: errorReason === undefined,",
    to: `success: errorReason !== "payment_replayed",`
  },
  {
    name: "content for a disconnected payer uses the payment up",
    firstSeed: 3286,
    file: "lib/x402/next.ts",
    from: "else if (request.signal.aborted) await delivery.leave();",
    to: `else if (request.signal.aborted) void ((await delivery.begin()).kind === "begun" && delivery.end("whole"));`
  },
  {
    name: "two payments for one purchase have their turn at once",
    firstSeed: 3278,
    file: paywall("claims"),
    from: "(await store.setIfAbsent(key, paymentId, seconds)) ||",
    to: "seconds > 0 ||"
  },
  {
    name: "a purchase is not remembered",
    file: paywall("payment-attempt"),
    from: "await keepPurchase(",
    to: "await (async (..._unstored: unknown[]) => {})("
  },
  {
    name: "a copy from a block gets content that its holder has paid for",
    file: paywall("take-payment"),
    from: "!isSameHolder(holder, attempt.brought.holder);",
    to: `holder === "";`
  },
  {
    name: "content that breaks off uses the payment up",
    firstSeed: 3289,
    file: paywall("deliver"),
    from: "broken: afterBreak(delivering),",
    to: `broken: { ...delivering, phase: "delivered" },`
  },
  {
    name: "content whose process died uses the payment up",
    firstSeed: 4320,
    file: paywall("take-payment"),
    from: "const next = afterBreak(claim);",
    to: `const next: Claim = { ...claim, phase: "delivered" };`
  },
  {
    name: "a reader who disconnects early uses the payment up",
    firstSeed: 3301,
    file: paywall("watch-body"),
    from: "Promise.all([end(false), reader.cancel(reason)])",
    to: "Promise.all([end(true), reader.cancel(reason)])"
  },
  {
    name: "a busy handler uses the payment up",
    firstSeed: 3349,
    file: "lib/x402/unserved.ts",
    from: "[408, 425, 429]",
    to: "[]"
  },
  {
    name: "the payer signs again while the first payment may land",
    firstSeed: 3278,
    file: client("payment-fate"),
    from: "votes.filter((vote) => vote === fate).length >= Math.min(2, distinct.length);",
    to: `fate === "over" && votes.length > 0;`
  },
  {
    name: "pending payments die with the payer's process",
    file: client("purchase"),
    from: "createPaymentsUnderWay(store, account,",
    to: "createPaymentsUnderWay(createMemoryStore(), account,"
  },
  {
    name: "a payment is forgotten as soon as its answer begins",
    firstSeed: 3289,
    file: client("purchase"),
    from: "return answer.untilRead(async (isRead) => {",
    to: "return (await drop(), answer).untilRead(async (isRead) => {"
  },
  {
    name: "any answer to a payment counts as its content",
    firstSeed: 3293,
    file: client("purchase"),
    from: "if (isRead && answer.receipt) await drop();",
    to: "if (isRead) await drop();"
  },
  {
    name: "a claim expires after a second",
    file: paywall("claims"),
    from: "const KEEP_SECONDS = 30 * 24 * 3600;",
    to: "const KEEP_SECONDS = 1;"
  },
  {
    name: "a payment is forgotten before its transfer has expired",
    file: facilitator("ledger"),
    from: "const KEPT_FOR_MS = 7 * 24 * HOUR_MS;",
    to: "const KEPT_FOR_MS = -50_000;"
  }
];

// tests/simulation/product.ts
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
var root = fileURLToPath(new URL("../..", import.meta.url));
var entry = `
  export { createFacilitator, createFacilitatorHandlers } from "./lib/x402/facilitator/index.ts";
  export { withPaywall } from "./lib/x402/next.ts";
  export { createPayingFetch } from "./lib/x402/client/index.ts";
  export { noteResponse } from "./lib/async/end-of-answer.ts";
  export { storeFailure } from "./lib/store/store.ts";
`;
var GLOBALS = [
  ...["globalThis", "Date", "performance", "fetch", "crypto", "AbortSignal"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"]
];
async function bundleProduct(mutation2) {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20.9",
    // The environment provides the drivers and Node's modules, or deliberately lacks them.
    external: ["undici", "libsql", "redis", "secp256k1"],
    logLevel: "silent",
    plugins: mutation2 ? [mutating(mutation2)] : []
  });
  const code = outputFiles[0]?.text ?? "";
  const run = compileFunction(code, ["module", "require", ...GLOBALS], { filename: "product.cjs" });
  return ({ globals, modules }) => {
    const module = { exports: {} };
    const require3 = (name) => {
      if (name in modules) return modules[name];
      throw new Error(`the simulation has no module ${name}`);
    };
    run(module, require3, ...GLOBALS.map((name) => globals[name]));
    return module.exports;
  };
}
function mutating({ file, from: from2, to }) {
  return {
    name: "mutation",
    setup({ onLoad, onEnd }) {
      let isApplied = false;
      onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
        if (relative(root, path) !== file) return void 0;
        const contents = mutate(await readFile(path, "utf8"), { file, from: from2, to });
        isApplied = true;
        return { contents, loader: "ts" };
      });
      onEnd(() => {
        if (!isApplied) throw new Error(`mutation out of date: the payment code does not load ${file}`);
      });
    }
  };
}

// tests/simulation/simulated-chain.ts
import { createHash } from "node:crypto";

// tests/simulation/simulated-process.ts
var EPOCH_MS = Date.UTC(2026, 0, 1);
var CRASHES_MOST = 4;
function createSimulatedProcess(stage, options) {
  const { name, boot } = options;
  const { scheduler } = stage;
  const crashes = stage.chance.stream(`${name}.crash`);
  const clock = stage.chance.stream(`${name}.clock`);
  const drift = 1 + (clock.deviate({ drifts: 0.2 })?.size ?? 0.5) * 0.02 - 0.01;
  let offsetMs = clock.between(-300, 300);
  const offset = clock.deviate({ "is off": 0.1 });
  if (offset) offsetMs += (offset.size - 0.5) * 24e4;
  let startedAt = 0;
  let timeOrigin = EPOCH_MS;
  let life = 0;
  let isAlive = false;
  let crashCount = 0;
  const kept = [];
  const survives = (where) => {
    if (!isAlive) return false;
    if (options.odds === 0 || crashCount >= CRASHES_MOST) return true;
    const crash = crashes.deviate({ dies: options.odds });
    if (!crash) return true;
    crashCount++;
    life++;
    isAlive = false;
    stage.note(`${name} DIES ${where}`);
    stage.network.cut(name);
    scheduler.after(50 + crash.size * crash.size * 2e4, () => process2.start());
    return false;
  };
  const process2 = {
    name,
    stage,
    random: stage.chance.stream(`${name}.random`),
    get life() {
      return life;
    },
    get isAlive() {
      return isAlive;
    },
    wallMs: () => EPOCH_MS + offsetMs + scheduler.now() * drift,
    get timeOrigin() {
      return timeOrigin;
    },
    monotonicMs: () => (scheduler.now() - startedAt) * drift,
    stepClock(ms) {
      offsetMs += ms;
      stage.note(`${name} clock steps by ${Math.round(ms)} ms`);
    },
    setTimer(work, delayMs, { isRepeated = false } = {}) {
      const timer = { isCancelled: false, unref: () => timer, ref: () => timer };
      const bornIn = life;
      const wait = () => scheduler.after(Math.max(1, delayMs || 0) / drift, () => {
        if (timer.isCancelled || life !== bornIn || !survives("before a timer")) return;
        try {
          work();
        } catch (error) {
          stage.violate(`${name}: a timer threw ${String(error)}`);
        }
        if (survives("after a timer") && isRepeated && !timer.isCancelled) wait();
      });
      if (isAlive) wait();
      return timer;
    },
    ask(question) {
      const label = `${question.method} ${question.url}`;
      return process2.call(label, (end) => stage.network.exchange(process2, question, end));
    },
    call(label, work) {
      return new Promise((resolve, reject) => {
        const bornIn = life;
        if (!survives(`before ${label}`)) return;
        let isEnded = false;
        work((outcome) => {
          if (isEnded || life !== bornIn) return;
          isEnded = true;
          if (!survives(`after ${label}`)) return;
          try {
            resolve(outcome());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
    start() {
      if (isAlive) return;
      isAlive = true;
      startedAt = scheduler.now();
      timeOrigin = process2.wallMs();
      stage.note(`${name} starts`);
      boot();
    },
    keep: (value) => void kept.push(value)
  };
  return process2;
}

// tests/simulation/simulated-chain.ts
var BLOCK_MS = 3e3;
var FIRST_BLOCK = 7e4;
var OLD_BLOCKS = 12;
function findTransfer(head, id) {
  for (let block = head; block; block = block.parent) {
    const transfer = block.transfers.find((one) => one.id === id);
    if (transfer) return { block, transfer };
  }
  return null;
}
function blockAt(head, num) {
  let block = head;
  while (block && block.num > num) block = block.parent;
  return block?.num === num ? block : null;
}
function createSimulatedChain(stage, options) {
  const { scheduler, note } = stage;
  const stream = stage.chance.stream("chain");
  const { finalAfter, scale } = options;
  const waiting = /* @__PURE__ */ new Map();
  let head = createBlock(null, FIRST_BLOCK, EPOCH_MS - OLD_BLOCKS * BLOCK_MS, [], options.balances, 0);
  for (let num = 1; num <= OLD_BLOCKS; num++)
    head = createBlock(head, head.num + 1, head.timeMs + BLOCK_MS, [], options.balances, 0);
  const views = [{ at: -1e5, head, irreversibleNum: head.num - finalAfter }];
  let forks = 0;
  const publish = () => {
    const before = views.at(-1)?.irreversibleNum ?? 0;
    views.push({
      at: scheduler.now(),
      head,
      irreversibleNum: Math.max(before, head.num - finalAfter)
    });
  };
  const produce = (timeMs, mayOmit) => {
    const balances = new Map(head.balances);
    const included = [];
    for (const [id, one] of waiting) {
      const { from: from2, to, amountMillis, expirationMs } = one.transfer;
      if (expirationMs < timeMs) waiting.delete(id);
      else if (isValidOn(head, one, balances)) {
        if (mayOmit && stream.deviate({ "left out of a block": 0.1 * scale })) continue;
        balances.set(from2, (balances.get(from2) ?? 0) - amountMillis);
        balances.set(to, (balances.get(to) ?? 0) + amountMillis);
        included.push(one);
        waiting.delete(id);
        note(`block ${head.num + 1} holds ${id.slice(0, 8)}`);
      }
    }
    head = createBlock(
      head,
      head.num + 1,
      timeMs,
      included,
      included.length ? balances : head.balances,
      forks
    );
  };
  const fork = (size) => {
    const depth = Math.min(1 + Math.floor(size * 3), finalAfter - 1);
    if (depth < 1) return;
    forks++;
    const times = [];
    for (let count2 = 0; count2 < depth && head.parent; count2++) {
      for (const one of head.transfers) {
        const isLost = stream.deviate({ "lost in the fork": 0.4 * scale }) !== null;
        if (!isLost) waiting.set(one.id, one);
        note(`fork takes ${one.id.slice(0, 8)} out of block ${head.num}${isLost ? " and loses it" : ""}`);
      }
      times.unshift(head.timeMs);
      head = head.parent;
    }
    for (const timeMs of times) produce(timeMs, true);
  };
  const tick = () => {
    const timeMs = EPOCH_MS + Math.round(scheduler.now() / BLOCK_MS) * BLOCK_MS;
    const fault = stream.deviate({ fork: 0.05 * scale, "missed slot": 0.05 * scale });
    if (fault?.kind === "fork") fork(fault.size);
    if (fault?.kind !== "missed slot") {
      produce(timeMs, true);
      publish();
    }
    scheduler.after(BLOCK_MS, tick);
  };
  return {
    view(lagMs) {
      const until = scheduler.now() - lagMs;
      for (let index = views.length - 1; index > 0; index--) {
        const view = views[index];
        if (view.at <= until) return view;
      }
      return views[0];
    },
    submit(transfer, delayMs) {
      scheduler.after(delayMs, () => {
        if (!findTransfer(head, transfer.id)) waiting.set(transfer.id, transfer);
      });
    },
    isWaiting: (id) => waiting.has(id),
    held: /* @__PURE__ */ new Set(),
    start: () => scheduler.after(BLOCK_MS, tick)
  };
}
function isValidOn(head, { id, transfer }, balances = head.balances) {
  if (findTransfer(head, id) || (balances.get(transfer.from) ?? 0) < transfer.amountMillis) return false;
  const back = head.num - transfer.refBlockNum & 65535;
  const referred = blockAt(head, head.num - back);
  return referred !== null && prefixOf(referred.id) === transfer.refBlockPrefix;
}
var prefixOf = (blockId) => Buffer.from(blockId, "hex").readUInt32LE(4);
function createBlock(parent, num, timeMs, transfers2, balances, fork) {
  const content = `${parent?.id}/${num}/${timeMs}/${fork}/${transfers2.map(({ id: id2 }) => id2)}`;
  const id = num.toString(16).padStart(8, "0") + createHash("sha256").update(content).digest("hex").slice(0, 32);
  return { num, id, timeMs, parent, transfers: transfers2, balances };
}

// tests/simulation/ledger-of-truth.ts
var TURN_MS = 6e4;
var STALE_MS = 3e4;
var BREAKS_MOST = 3;
function createLedgerOfTruth(stage, chain, { budget, claims, flow, isPurseKept, requestsFor }) {
  const { scheduler, violate, note } = stage;
  const truths = /* @__PURE__ */ new Map();
  const byCall = /* @__PURE__ */ new Map();
  const nameOf = (contentId) => `payment ${contentId.slice(0, 8)}`;
  const find = (txId) => truths.get(txId) ?? [...truths.values()].find(({ transfer }) => transfer.ids.hf26 === txId);
  const findCharge = ({ transfer: { ids } }) => {
    const { head } = chain.view(0);
    return findTransfer(head, ids.legacy) ?? findTransfer(head, ids.hf26);
  };
  const mayLand = ({ transfer }) => transfer.expirationMs > EPOCH_MS + scheduler.now();
  const isGone = (truth) => {
    const { head, irreversibleNum } = chain.view(0);
    const endsBefore = (blockAt(head, irreversibleNum)?.timeMs ?? 0) > truth.transfer.expirationMs;
    return endsBefore && findCharge(truth) === null;
  };
  const checkCall = (call, truth) => {
    const earlier = byCall.get(call) ?? [];
    byCall.set(call, [...earlier, truth]);
    if (!earlier.every(isGone)) violate("one request was signed for twice");
  };
  const checkBudget = (life) => {
    const sum = (all) => all.reduce((total, { transfer }) => total + transfer.amountMillis, 0);
    const counted = [...truths.values()].filter((truth) => findCharge(truth) !== null || mayLand(truth));
    const ofLife = counted.filter(({ payerLife }) => payerLife === life);
    const [day, host] = [sum(isPurseKept ? counted : ofLife), sum(ofLife)];
    if (day > budget.perDayMillis) violate(`budget exceeded: ${day} of ${budget.perDayMillis} a day`);
    if (host > budget.perHostMillis) violate(`budget exceeded: ${host} of ${budget.perHostMillis} a host`);
  };
  const mayBring = (truth, life) => truth.deliveries === 0 && !truth.isMeddledWith && !isLostOnItsWay(truth) && (isPurseKept || truth.payerLife === life) && (findCharge(truth) !== null || mayLand(truth));
  const checkUnderWay = (url, life) => {
    const underWay = [...truths.values()].filter((truth) => truth.url === url && mayBring(truth, life));
    if (underWay.length > requestsFor(url)) violate("signed again while the first payment may land");
  };
  const mayBeForgotten = ({ attempts, deliveredAt }) => claims.failedAt >= (deliveredAt ?? 0) || attempts.some(({ process: process2, life }) => process2.life !== life);
  const isWrittenDown = (contentId) => /"phase":"deliver(?:ing|ed)"/.test(claims.entries.get(`x402:claim:${contentId}`)?.value ?? "");
  const wasIncluded = (txId, blockNum) => {
    for (let lagMs = 0; lagMs <= STALE_MS; lagMs += 1e3)
      if (findTransfer(chain.view(lagMs).head, txId)?.block.num === blockNum) return true;
    return false;
  };
  const isFinalNow = (txId) => {
    const { head, irreversibleNum } = chain.view(0);
    const found = findTransfer(head, txId);
    return found !== null && found.block.num <= irreversibleNum;
  };
  return {
    truths,
    signed({ transfer, header, url, call, payerLife, hasHolder }) {
      const id = transfer.ids.legacy;
      const present = truths.get(id);
      if (present) return present;
      const truth = {
        ...{ transfer, header, url, payerLife, hasHolder, signedAt: scheduler.now() },
        ...{
          successes: /* @__PURE__ */ new Set(),
          deliveries: 0,
          deliveredAt: null,
          attempts: [],
          isMeddledWith: false
        }
      };
      truths.set(id, truth);
      note(`${nameOf(id)} is signed`);
      if (transfer.amountMillis > budget.maxMillis)
        violate(`a payment over the limit: ${transfer.amountMillis}`);
      checkCall(call, truth);
      checkBudget(payerLife);
      checkUnderWay(url, payerLife);
      return truth;
    },
    succeeded({ txId, blockNum, mark, isFinal }) {
      const truth = find(txId);
      if (!truth) return violate(`success for a transfer that nobody signed: ${txId.slice(0, 8)}`);
      if (truth.successes.has(mark)) return;
      truth.successes.add(mark);
      const id = truth.transfer.ids.legacy;
      const isOwed = flow === "upfront" || truth.isMeddledWith;
      if (!isOwed && !truth.attempts.some(({ hasWorked }) => hasWorked))
        return violate(`${nameOf(id)}: settled for work that failed`);
      if (truth.successes.size > 1) return violate(`${nameOf(id)}: success for two callers`);
      if (!wasIncluded(txId, blockNum)) return violate(`${nameOf(id)}: success, and in no block ${blockNum}`);
      if (isFinal && !isFinalNow(txId)) violate(`${nameOf(id)}: success, and a fork can undo it`);
    },
    rejected(txId) {
      if (chain.held.has(txId)) violate(`payment ${txId.slice(0, 8)}: called refused, and may still land`);
    },
    handled(contentId, process2) {
      const attempt = { process: process2, life: process2.life, end: "running", hasWorked: false };
      const truth = truths.get(contentId);
      if (!truth) violate("the handler ran for a transfer that nobody signed");
      else if (flow === "upfront" && truth.successes.size === 0)
        violate(`${nameOf(contentId)}: the handler ran without a success`);
      truth?.attempts.push(attempt);
      return attempt;
    },
    delivered(contentId) {
      const truth = truths.get(contentId);
      if (!truth) return violate("a delivery for a transfer that nobody signed");
      truth.deliveries++;
      truth.deliveredAt ??= scheduler.now();
      note(`${nameOf(contentId)} is delivered`);
      if (truth.successes.size === 0) violate(`${nameOf(contentId)}: delivered without a success`);
      if (!isWrittenDown(contentId)) violate(`${nameOf(contentId)}: delivered, and not written down`);
      const most = mayBeForgotten(truth) ? 1 + BREAKS_MOST : 1;
      if (truth.deliveries > most) violate(`${nameOf(contentId)}: delivered twice`);
    },
    isCharged: (truth) => findCharge(truth) !== null,
    checkPurchases(url) {
      const charged2 = [...truths.values()].filter((truth) => truth.url === url && !truth.isMeddledWith).flatMap((truth) => {
        const chargedAt = findCharge(truth)?.block.timeMs;
        return chargedAt === void 0 ? [] : [{ truth, chargedAt: chargedAt - EPOCH_MS }];
      }).sort((one, other) => one.chargedAt - other.chargedAt);
      for (const [index, { truth: first }] of charged2.entries())
        for (const { truth: second, chargedAt } of charged2.slice(index + 1)) {
          const isInTurn = chargedAt < first.signedAt + TURN_MS;
          const isOwned = first.deliveredAt !== null && second.signedAt > first.deliveredAt;
          if (isInTurn || isOwned) violate(`${nameOf(second.transfer.ids.legacy)}: bought a second time`);
        }
    }
  };
}
function isLostOnItsWay({ attempts }) {
  const broken2 = attempts.filter(
    ({ process: process2, life, end }) => end === "broken" || end !== "over" && process2.life !== life
  );
  return broken2.length > BREAKS_MOST;
}

// tests/simulation/roles.ts
import { EventEmitter } from "node:events";

// lib/chains.ts
var MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;

// lib/x402/base64.ts
function encodeBase64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
function decodeBase64(text) {
  const binary = atob(text);
  if (btoa(binary) !== text) throw new SyntaxError("not base64");
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

// lib/x402/header.ts
var MAX_PAYMENT_CHARACTERS = 8192;
var MAX_DEPTH = 32;
function encodeBase64Json(value) {
  return encodeBase64(new TextEncoder().encode(JSON.stringify(value)));
}
function decodeBase64Json(text, maxLength) {
  if (text.length > maxLength) throw new SyntaxError("too long");
  const json = decodeUtf8(text);
  assertDepth(json);
  return JSON.parse(json);
}
function decodeUtf8(text) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decodeBase64(text));
  } catch (cause) {
    throw new SyntaxError("not base64 of UTF-8", { cause });
  }
}
function assertDepth(json) {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === "\\") index++;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
  }
}

// lib/x402/types.ts
import { z } from "zod";
var PaymentRequirements = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  /** The price, such as "0.050 HBD". */
  maxAmountRequired: z.string(),
  resource: z.string(),
  payTo: z.string(),
  /** The time in ISO 8601. */
  validBefore: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  /** `nonce` is the server's suggestion for the memo, and opens only this resource. */
  extra: z.record(z.string(), z.unknown()).optional()
});
var PaymentRequired = z.object({
  x402Version: z.number(),
  error: z.string().optional().describe("one English sentence"),
  code: z.string().optional(),
  accepts: z.array(PaymentRequirements),
  extensions: z.record(z.string(), z.unknown()).optional().describe("`sign-in-with-x`: what an account signs that has bought the resource before")
});
var SignedTransaction = z.strictObject({
  ref_block_num: z.number(),
  ref_block_prefix: z.number(),
  /** "2026-01-31T12:00:00", UTC. */
  expiration: z.string(),
  operations: z.array(z.unknown()).max(8),
  extensions: z.array(z.unknown()).max(8),
  signatures: z.array(z.string()).max(64)
});
var PaymentPayload = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  payload: z.object({
    signedTransaction: SignedTransaction,
    nonce: z.string(),
    /** The payer's secret, base64url of 128 bits or more: the seller delivers only to its holder. */
    holder: z.string().regex(/^[A-Za-z0-9_-]{22,86}$/).optional()
  })
});
var VerifyResponse = z.object({
  isValid: z.boolean(),
  invalidReason: z.string().optional(),
  payer: z.string().optional()
});
var SettleResponse = z.object({
  success: z.boolean(),
  txId: z.string().optional(),
  blockNum: z.number().optional(),
  errorReason: z.string().optional(),
  payer: z.string().optional(),
  /** The same as `txId`, or "", for other x402 software. */
  transaction: z.string().optional(),
  network: z.string().optional()
});
var SupportedResponse = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.literal("exact"),
      network: z.string(),
      extra: z.object({ chainId: z.string(), nodes: z.array(z.string()) }).optional().describe(
        "the chain's id and nodes that anybody may ask, where they are not those of the main chain"
      )
    })
  ),
  extensions: z.array(z.string()),
  signers: z.record(z.string(), z.array(z.string()))
});
var HealthResponse = z.object({
  status: z.enum(["ok", "degraded"]),
  network: z.string(),
  headBlock: z.number().nullable(),
  chainLagSeconds: z.number().nullable().describe("age of the head by this machine's clock; below 0 when the head seems to come from the future"),
  store: z.enum(["ok", "unavailable"]),
  failing: z.array(z.enum(["chain", "store", "clock"])).optional().describe("what is at fault when degraded"),
  warnings: z.array(z.string()).optional().describe("what makes the answers less sure than they could be"),
  clockAheadSeconds: z.number().optional().describe(
    "how far this machine's clock is ahead of the chain's (behind: below 0), when it is wrong by more than 5 s; payments go on"
  )
});

// lib/x402/codec.ts
function encodePayment(payment) {
  const text = encodeBase64Json(payment);
  if (text.length > MAX_PAYMENT_CHARACTERS) throw new RangeError("the payment is longer than 8 KiB");
  return text;
}
function decodePayment(text) {
  if (typeof text !== "string") throw new SyntaxError("not a text");
  const parsed = PaymentPayload.safeParse(decodeBase64Json(text, MAX_PAYMENT_CHARACTERS));
  if (!parsed.success) throw new SyntaxError("not a payment");
  return parsed.data;
}

// lib/x402/transfer.ts
import { utf8ToBytes as utf8ToBytes2 } from "@noble/hashes/utils.js";
import { z as z2 } from "zod";

// lib/hive/account-name.ts
var ACCOUNT_NAME = /^(?=.{3,16}$)[a-z][a-z0-9-]+[a-z0-9](\.[a-z][a-z0-9-]+[a-z0-9])*$/;
function isAccountName(text) {
  return typeof text === "string" && ACCOUNT_NAME.test(text);
}

// lib/hive/packing.ts
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

// lib/hive/public-key.ts
import { ripemd160 } from "@noble/hashes/legacy.js";
var PREFIX = "STM";
var KEY_BYTES = 33;
var CHECKSUM_BYTES = 4;
var LONGEST_TEXT = 60;
function decodePublicKey(text) {
  const bytes = text.startsWith(PREFIX) && text.length <= LONGEST_TEXT ? decodeBase58(text.slice(PREFIX.length)) : null;
  if (bytes?.length !== KEY_BYTES + CHECKSUM_BYTES) throw new Error("not the text of a public key");
  const key = bytes.subarray(0, KEY_BYTES);
  const checksum = ripemd160(key);
  if (bytes.subarray(KEY_BYTES).some((byte, index) => byte !== checksum[index]))
    throw new Error("the checksum of the public key is wrong");
  return key;
}
var alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
var digitOf = new Map([...alphabet].map((character, digit) => [character, digit]));
function decodeBase58(text) {
  const bytes = [];
  for (const character of text) {
    let carry = digitOf.get(character);
    if (carry === void 0) return null;
    for (let index = 0; index < bytes.length; index++) {
      carry += (bytes[index] ?? 0) * 58;
      bytes[index] = carry & 255;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 255);
  }
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...new Array(zeros).fill(0), ...bytes.reverse()]);
}

// lib/hive/packing.ts
var mainnetNames = { hbd: "SBD", hive: "STEEM" };
var NAME_BYTES = 7;
var hf26Symbols = { HBD: "0320bcbe", HIVE: "2320bcbe", VESTS: "4620bcbe" };
function packTransaction(transaction, packing, names = mainnetNames) {
  const writeSymbol = packing === "hf26" ? writeHf26Symbol : writeLegacySymbol(names);
  const writer = createByteWriter();
  writer.unsigned(transaction.refBlockNum, 2);
  writer.unsigned(transaction.refBlockPrefix, 4);
  writer.unsigned(transaction.expiration, 4);
  writer.varint(transaction.operations.length);
  for (const operation of transaction.operations) writeOperation(writer, operation, writeSymbol);
  writer.varint(0);
  return writer.finish();
}
function transactionId(packed) {
  return bytesToHex(sha256(packed).subarray(0, 20));
}
function signingDigest(packed, chainId) {
  return sha256(concatBytes(hexToBytes(chainId), packed));
}
var writeHf26Symbol = (writer, symbol) => writer.raw(hexToBytes(hf26Symbols[symbol]));
function writeLegacySymbol({ hbd, hive }) {
  const named = { HBD: [3, hbd], HIVE: [3, hive], VESTS: [6, "VESTS"] };
  return (writer, symbol) => {
    const [precision, name] = named[symbol];
    writer.unsigned(precision, 1);
    writer.raw(utf8ToBytes(name.padEnd(NAME_BYTES, "\0")));
  };
}
function writeOperation(writer, operation, writeSymbol) {
  const writeAsset = ({ amount, symbol }) => {
    writer.int64(amount);
    writeSymbol(writer, symbol);
  };
  switch (operation.type) {
    case "transfer":
      writer.varint(2);
      writer.text(operation.from);
      writer.text(operation.to);
      writeAsset(operation.amount);
      writer.text(operation.memo);
      return;
    case "account_create":
      writer.varint(9);
      writeAsset(operation.fee);
      writer.text(operation.creator);
      writer.text(operation.new_account_name);
      for (const role of ["owner", "active", "posting"]) writeAuthority(writer, operation[role]);
      writer.raw(decodePublicKey(operation.memo_key));
      writer.text(operation.json_metadata);
      return;
    case "account_update":
      writer.varint(10);
      writeAuthorities(writer, operation);
      writer.raw(decodePublicKey(operation.memo_key));
      writer.text(operation.json_metadata);
      return;
    case "custom_json":
      writer.varint(18);
      writeNames(writer, operation.required_auths);
      writeNames(writer, operation.required_posting_auths);
      writer.text(operation.id);
      writer.text(operation.json);
      return;
    case "account_update2": {
      writer.varint(43);
      writeAuthorities(writer, operation);
      const { memo_key } = operation;
      writeOptional(writer, memo_key, (key) => writer.raw(decodePublicKey(key)));
      writer.text(operation.json_metadata);
      writer.text(operation.posting_json_metadata);
      writer.varint(0);
    }
  }
}
function writeAuthorities(writer, operation) {
  writer.text(operation.account);
  for (const authority of [operation.owner, operation.active, operation.posting])
    writeOptional(writer, authority, (present) => writeAuthority(writer, present));
}
function writeOptional(writer, value, write) {
  writer.unsigned(value === void 0 ? 0 : 1, 1);
  if (value !== void 0) write(value);
}
function writeAuthority(writer, authority) {
  writer.unsigned(authority.weight_threshold, 4);
  writer.varint(authority.account_auths.length);
  for (const [account, weight] of [...authority.account_auths].sort(([a], [b]) => a < b ? -1 : 1)) {
    writer.text(account);
    writer.unsigned(weight, 2);
  }
  const keys = authority.key_auths.map(([text, weight]) => ({ bytes: decodePublicKey(text), weight }));
  writer.varint(keys.length);
  for (const { bytes, weight } of keys.sort((a, b) => compareBytes(a.bytes, b.bytes))) {
    writer.raw(bytes);
    writer.unsigned(weight, 2);
  }
}
function writeNames(writer, names) {
  writer.varint(names.length);
  for (const name of [...names].sort()) writer.text(name);
}
function compareBytes(a, b) {
  const difference = a.findIndex((byte, index) => byte !== b[index]);
  return difference === -1 ? 0 : (a[difference] ?? 0) - (b[difference] ?? 0);
}
var encoder = new TextEncoder();
var loneSurrogate = new RegExp("\\p{Surrogate}", "u");
function isWellFormed(text) {
  return !loneSurrogate.test(text);
}
function createByteWriter() {
  const out = [];
  const writer = {
    unsigned(value, bytes) {
      if (!Number.isInteger(value) || value < 0 || value >= 2 ** (bytes * 8))
        throw new RangeError(`not an unsigned number of ${bytes} bytes`);
      for (let index = 0; index < bytes; index++) out.push(value >>> index * 8 & 255);
    },
    int64(value) {
      if (BigInt.asIntN(64, value) !== value) throw new RangeError("not a signed number of 8 bytes");
      for (let index = 0n; index < 8n; index++) out.push(Number(value >> index * 8n & 0xffn));
    },
    varint(value) {
      let rest2 = value;
      for (; rest2 > 127; rest2 >>>= 7) out.push(rest2 & 127 | 128);
      out.push(rest2);
    },
    raw(bytes) {
      for (const byte of bytes) out.push(byte);
    },
    text(value) {
      if (!isWellFormed(value)) throw new RangeError("the text contains a lone surrogate");
      const bytes = encoder.encode(value);
      writer.varint(bytes.length);
      writer.raw(bytes);
    },
    finish: () => Uint8Array.from(out)
  };
  return writer;
}

// lib/hive/transaction.ts
import { hexToBytes as hexToBytes2 } from "@noble/hashes/utils.js";
var SIGNATURE_BYTES = 65;
function parseSignature(hex130) {
  return /^[0-9a-f]{130}$/.test(hex130) ? hexToBytes2(hex130) : null;
}
var highestS = Uint8Array.of(
  ...[160, 32, 27, 104, 70, 47, 233, 223, 29, 80, 164, 87, 115, 110, 87, 93],
  ...[255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127]
);

// lib/x402/amount.ts
var hbdText = /^(0|[1-9]\d{0,11})\.\d{3} HBD$/;
function parseMillis(text) {
  return hbdText.test(text) ? Number(text.slice(0, -4).replace(".", "")) : null;
}
function isOtherCoin(text) {
  return /^[0-9.]+ (?!HBD$)[A-Z]+$/.test(text);
}
function formatMillis(millis) {
  const digits = String(millis).padStart(4, "0");
  return `${digits.slice(0, -3)}.${digits.slice(-3)} HBD`;
}

// lib/x402/transfer.ts
var MAX_SIGNATURES = 8;
var MEMO_LIMIT_BYTES = 2048;
var HBD_NAI = "@@000000013";
var Transfer = z2.strictObject({ from: z2.string(), to: z2.string(), amount: z2.unknown(), memo: z2.string() });
var SignedTransfer = z2.strictObject({
  ref_block_num: z2.number().int().min(0).max(65535),
  ref_block_prefix: z2.number().int().min(0).max(4294967295),
  expiration: z2.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  operations: z2.tuple([
    z2.union([
      z2.tuple([z2.literal("transfer"), Transfer]).transform(([, value]) => value),
      z2.strictObject({ type: z2.literal("transfer_operation"), value: Transfer }).transform(({ value }) => value)
    ])
  ]).transform(([transfer]) => transfer),
  extensions: z2.tuple([]),
  signatures: z2.array(z2.string()).max(64)
});
var NaiAsset = z2.strictObject({ amount: z2.string(), precision: z2.number(), nai: z2.string() });
function readTransfer(input) {
  const shape = SignedTransfer.safeParse(input);
  if (!shape.success) return "invalid_payload";
  const { expiration, extensions, ...given } = shape.data;
  const { from: from2, to, amount, memo } = given.operations;
  const expirationMs = readTime(expiration);
  if (expirationMs === null || !isAccountName(from2) || !isAccountName(to)) return "invalid_payload";
  const amountMillis = readAmount(amount);
  if (typeof amountMillis === "string") return amountMillis;
  if (!isWellFormed(memo) || utf8ToBytes2(memo).length >= MEMO_LIMIT_BYTES) return "memo_invalid";
  if (given.signatures.length === 0) return "signature_missing";
  const signatures = given.signatures.map(parseSignature).filter((signature) => signature !== null);
  if (given.signatures.length > MAX_SIGNATURES || signatures.length < given.signatures.length)
    return "signature_invalid";
  const unsigned = {
    refBlockNum: given.ref_block_num,
    refBlockPrefix: given.ref_block_prefix,
    expiration: expirationMs / 1e3,
    operations: [
      { type: "transfer", from: from2, to, amount: { amount: BigInt(amountMillis), symbol: "HBD" }, memo }
    ]
  };
  const packed = { legacy: packTransaction(unsigned, "legacy"), hf26: packTransaction(unsigned, "hf26") };
  return {
    from: from2,
    to,
    amountMillis,
    memo,
    expirationMs,
    refBlockNum: given.ref_block_num,
    refBlockPrefix: given.ref_block_prefix,
    signatures,
    packed,
    ids: { legacy: transactionId(packed.legacy), hf26: transactionId(packed.hf26) },
    transaction: {
      ref_block_num: given.ref_block_num,
      ref_block_prefix: given.ref_block_prefix,
      expiration,
      operations: [["transfer", { from: from2, to, amount: formatMillis(amountMillis), memo }]],
      extensions,
      signatures: given.signatures
    }
  };
}
function readAmount(amount) {
  const text = typeof amount === "string" ? amount : textOfNai(amount);
  const millis = parseMillis(text);
  if (millis !== null) return millis === 0 ? "invalid_amount" : millis;
  return isOtherCoin(text) ? "asset_mismatch" : "invalid_amount";
}
function textOfNai(amount) {
  const { data } = NaiAsset.safeParse(amount);
  if (!data || !/^(0|[1-9]\d{0,14})$/.test(data.amount)) return "";
  if (data.nai !== HBD_NAI) return "1.000 OTHER";
  return data.precision === 3 ? formatMillis(Number(data.amount)) : "";
}
function readTime(text) {
  const ms = Date.parse(`${text}Z`);
  const isReal = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text);
  return isReal && ms >= 0 && ms / 1e3 <= 4294967295 ? ms : null;
}

// tests/simulation/broken-answer.ts
var CUT = "x-cut";
var breakingContent = () => new ReadableStream({
  start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
  pull: (controller) => controller.error(new Error("out of order"))
});
async function leaveEarly(response) {
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  return void 0;
}
function halfOf({ status, headers }) {
  const half = new Response("half", { status, headers });
  half.headers.set(CUT, "yes");
  return half;
}
function asRead({
  status,
  headers,
  body
}) {
  return new Response(headers[CUT] === void 0 ? body : breakingContent(), { status, headers });
}

// tests/simulation/simulated-store.ts
var createStoreServer = (name) => ({
  name,
  entries: /* @__PURE__ */ new Map(),
  sets: /* @__PURE__ */ new Map(),
  downUntil: 0,
  failedAt: Number.NEGATIVE_INFINITY
});
var LATE_MS = 1e4;
var ODDS = {
  "fails before": 0.02,
  "fails after": 0.03,
  "fails before, and is done later": 0.01,
  slow: 0.03,
  "goes down before": 6e-3,
  "goes down after": 0.01
};
function openStore(stage, process2, server, { scale, storeFailure }) {
  const { scheduler, note } = stage;
  const stream = stage.chance.stream(`${process2.name}>${server.name}`);
  const odds = Object.fromEntries(
    Object.entries(ODDS).map(([kind, probability]) => [kind, probability * scale])
  );
  const live = (key) => {
    const entry2 = server.entries.get(key);
    if (entry2 && entry2.expiresAt <= scheduler.now()) server.entries.delete(key);
    return server.entries.get(key);
  };
  const put = (key, value, ttlSeconds = Number.POSITIVE_INFINITY) => void server.entries.set(key, { value, expiresAt: scheduler.now() + ttlSeconds * 1e3 });
  const place = (set, member, score) => {
    const members = server.sets.get(set) ?? /* @__PURE__ */ new Map();
    server.sets.set(set, members);
    if (score === null) members.delete(member);
    else members.set(member, score);
  };
  const step = (label, work) => process2.call(`${server.name}.${label}`, (end) => {
    const fault = stream.deviate(odds);
    const [there, back] = [stream.between(0.1, 3), stream.between(0.1, 3)];
    const slowMs = fault?.kind === "slow" ? fault.size * fault.size * 6e3 : 0;
    const fail = () => {
      server.failedAt = scheduler.now();
      end(() => {
        throw storeFailure(new Error("simulated"));
      });
    };
    if (fault) server.failedAt = scheduler.now();
    const goDown = () => {
      server.downUntil = scheduler.now() + 50 + (fault?.size ?? 0) ** 2 * 15e3;
    };
    if (fault) note(`${process2.name} > ${server.name}.${label} [${fault.kind}]`);
    scheduler.after(there + slowMs / 2, () => {
      if (fault?.kind === "goes down before") goDown();
      if (fault?.kind === "fails before, and is done later") {
        scheduler.after(fault.size * LATE_MS, () => {
          if (server.downUntil <= scheduler.now())
            note(
              `${process2.name} > ${server.name}.${label} late = ${JSON.stringify(work())?.slice(0, 100)}`
            );
        });
        return void scheduler.after(back, fail);
      }
      if (fault?.kind === "fails before" || server.downUntil > scheduler.now())
        return void scheduler.after(back, fail);
      const result = work();
      if (fault?.kind === "goes down after") goDown();
      note(`${process2.name} > ${server.name}.${label} = ${JSON.stringify(result)?.slice(0, 100)}`);
      scheduler.after(back + slowMs / 2, fault && fault.kind !== "slow" ? fail : () => end(() => result));
    });
  });
  return {
    get: (key) => step(`get ${key}`, () => live(key)?.value ?? null),
    set: (key, value, ttl) => step(`set ${key}`, () => put(key, value, ttl)),
    setIfAbsent: (key, value, ttl) => step(`setIfAbsent ${key}`, () => {
      if (live(key)) return false;
      put(key, value, ttl);
      return true;
    }),
    replace: (key, expected, value, ttl) => step(`replace ${key}`, () => {
      if (live(key)?.value !== expected) return false;
      put(key, value, ttl);
      return true;
    }),
    delete: (key) => step(`delete ${key}`, () => Boolean(live(key)) && server.entries.delete(key)),
    deleteIf: (key, expected) => step(`deleteIf ${key}`, () => live(key)?.value === expected && server.entries.delete(key)),
    commit: (change) => step(`commit ${change.set?.[0]?.[0] ?? change.expect[0]?.[0]}`, () => {
      if (change.expect.some(([key, value]) => (live(key)?.value ?? null) !== value)) return false;
      for (const [key, value, ttl] of change.set ?? []) put(key, value, ttl);
      for (const key of change.delete ?? []) server.entries.delete(key);
      for (const [set, member, score] of change.scores ?? []) place(set, member, score);
      return true;
    }),
    range: (set, upTo, limit) => step(
      `range ${set}`,
      () => [...server.sets.get(set) ?? []].filter(([, score]) => score <= upTo).sort(([, one], [, other]) => one - other).slice(0, limit).map(([member]) => member)
    ),
    list: (prefix, limit) => step(
      `list ${prefix}`,
      () => [...server.entries.keys()].filter((key) => key.startsWith(prefix) && live(key)).slice(0, limit).map((key) => ({ key, value: live(key)?.value ?? "" }))
    ),
    ping: () => step("ping", () => {
    }),
    async close() {
    }
  };
}

// tests/simulation/accounts.ts
import dhive from "@hiveio/dhive";
function createAccount(name) {
  const key = dhive.PrivateKey.fromLogin(name, "simulation", "active");
  const publicKey = key.createPublic("STM");
  return {
    name,
    wif: key.toString(),
    publicKey: publicKey.toString(),
    publicKeyBytes: Uint8Array.from(publicKey.key)
  };
}
var accounts = {
  alice: createAccount("alice"),
  shop: createAccount("shop"),
  mallory: createAccount("mallory")
};
function accountsOf(names, balanceOf, key) {
  return names.flatMap((name) => {
    const account = accounts[name];
    if (!account) return [];
    const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key ?? account.publicKey, 1]] };
    const hbd_balance = { amount: String(balanceOf(name)), precision: 3, nai: "@@000000013" };
    return [{ name, owner: authority, active: authority, posting: authority, hbd_balance }];
  });
}

// tests/simulation/node-reply.ts
var refuse = (message, code = 10) => ({
  error: { code: -32003, message, data: { code, name: "exception", stack: [{ format: message }] } }
});

// tests/simulation/node-dishonesty.ts
var dishonesties = [
  "claims inclusion",
  "denies what is in blocks",
  "says that it is gone",
  "claims a later head",
  "claims an earlier head",
  "claims riches and keys",
  "swallows broadcasts",
  "refuses broadcasts",
  "does all of it"
];
function byzantineAnswer(asked, honest) {
  const { dishonesty, stream, state, method, params, later } = asked;
  const does = (kind) => dishonesty === kind || dishonesty === "does all of it";
  if (stream.next() < 0.3) return null;
  const { head } = state.view();
  if (/find_transaction$|get_transaction$/.test(method)) {
    const choice = stream.next();
    const status = (given) => ({ result: given });
    if (does("claims inclusion") && choice < 0.5)
      return status({
        status: choice < 0.25 ? "within_reversible_block" : "within_irreversible_block",
        block_num: head.num - Math.floor(stream.next() * 4)
      });
    if (does("says that it is gone") && choice < 0.75) return status({ status: "expired_irreversible" });
    if (does("denies what is in blocks"))
      return status({ status: choice < 0.9 ? "unknown" : "within_mempool" });
    return null;
  }
  if (/get_block$/.test(method)) {
    const num = Number(params[0]);
    const block = (transaction_ids) => ({
      result: { block_id: num.toString(16).padStart(8, "0") + head.id.slice(8), transaction_ids }
    });
    if (does("claims inclusion")) return block([...state.mempool.keys()]);
    if (does("denies what is in blocks") || does("claims a later head")) return block([]);
    return does("claims an earlier head") ? { result: null } : null;
  }
  if (/get_dynamic_global_properties$/.test(method)) {
    const isLater = does("claims a later head");
    if (!isLater && !does("claims an earlier head")) return null;
    const blocks = [2, 14, 300, 1e5][Math.floor(stream.next() * 4)] ?? 0;
    const num = isLater ? head.num + blocks : Math.max(1, head.num - blocks);
    const timeMs = head.timeMs + (num - head.num) * 3e3;
    return {
      result: {
        head_block_number: num,
        head_block_id: num.toString(16).padStart(8, "0") + head.id.slice(8),
        time: new Date(timeMs).toISOString().slice(0, 19),
        last_irreversible_block_num: num - 1
      }
    };
  }
  if (/find_accounts$|get_accounts$/.test(method) && does("claims riches and keys")) {
    const key = stream.next() < 0.5 ? accounts.mallory.publicKey : void 0;
    const names = Array.isArray(params) ? params[0] : params.accounts;
    const found = accountsOf(names, () => 1e9, key);
    return { result: Array.isArray(params) ? found : { accounts: found } };
  }
  if (/broadcast_transaction$/.test(method)) {
    if (does("swallows broadcasts")) return { result: {} };
    if (!does("refuses broadcasts")) return null;
    const passing = stream.next();
    if (passing < 0.35) honest();
    else if (passing < 0.7) later(honest);
    const message = stream.next() < 0.3 ? "Duplicate transaction check failed" : "missing required active authority";
    return refuse(message, 301e4);
  }
  return null;
}

// tests/simulation/world.ts
var CALM_AT_MS = 7e4;
var SHOP_URL = "http://shop.sim";
var FACILITATOR_URL = "http://pay.sim";
var OWNED_PATH = "/owned";
function createWorld(chance) {
  const stream = chance.stream("world");
  const price = stream.pick(["0.050 HBD", "0.050 HBD", "1.000 HBD", "120.000 HBD"]);
  const millis = Math.round(Number.parseFloat(price) * 1e3);
  const prices = { "/one": price, "/two": price, "/dear": formatMillis(millis * 2) };
  const nodes = createNodes(stream);
  const errands = [0, 1, 2].flatMap((index) => {
    const isMade = index === 0 || stream.deviate({ "another errand": 0.3 }) !== null;
    const isDear = stream.deviate({ "a page over the limit": 0.15 }) !== null;
    const page = stream.pick(["/one", "/two"]);
    const url = SHOP_URL + (isDear ? "/dear" : page);
    const errand = {
      name: `errand${index}`,
      url,
      startAt: stream.between(0, 25e3),
      calls: 0
    };
    return isMade ? [{ ...errand, isDone: false, outcome: "" }] : [];
  });
  const owners = createOwners(chance.stream("owners"));
  const habits = chance.stream("habits");
  const isTight = stream.deviate({ "a tight budget": 0.3 });
  const most = millis * (isTight ? 1 + Math.floor(isTight.size * 2) : 12);
  const isForTheHost = stream.next() < 0.5;
  return {
    nodes,
    balances: /* @__PURE__ */ new Map([
      [accounts.alice.name, stream.deviate({ "hardly any money": 0.1 }) ? millis * 2 : millis * 50],
      [accounts.shop.name, 0],
      [accounts.mallory.name, 0]
    ]),
    finalAfter: stream.pick([1, 2, 3, 4, 8]),
    scales: {
      store: stream.pick([0, 0.5, 1, 3]),
      network: stream.pick([0, 0.3, 1, 2]),
      chain: stream.pick([0, 1, 3])
    },
    crashOdds: stream.pick([0, 0, 2e-3, 0.01]),
    facilitators: stream.pick([1, 2]),
    shops: stream.pick([1, 2]),
    isEmbedded: stream.deviate({ embedded: 0.25 }) !== null,
    terms: {
      nodes: nodes.map(({ host }) => `http://${host}`),
      prices: owners.length > 0 ? { ...prices, [OWNED_PATH]: price } : prices,
      ...stream.pick(finalities),
      binding: stream.pick(["require", "prefer"]),
      flow: chance.stream("flow").deviate({ "works before it settles": 0.35 }) ? "authorization" : "upfront",
      storeScale: 1,
      waitMs: stream.pick([8e3, 8e3, 3e3]),
      pollMs: stream.pick([500, 1e3, 1500]),
      recoverEveryMs: stream.pick([15e3, 4e4, 4e4])
    },
    budget: {
      maxMillis: millis,
      perDayMillis: isForTheHost ? millis * 12 : most,
      perHostMillis: isForTheHost ? most : millis * 12
    },
    errands: [...errands, ...owners],
    isPurseKept: habits.deviate({ "keeps a purse": 0.5 }) !== null,
    hasHolder: habits.deviate({ "pays without a holder": 0.15 }) === null,
    clockSteps: createClockSteps(stream)
  };
}
function createOwners(stream) {
  if (!stream.deviate({ "a page that is bought once": 0.3 })) return [];
  const startAt = stream.between(0, 25e3);
  const startsAt = [startAt, startAt + stream.between(0, 6e3), startAt + stream.between(2e4, 6e4)];
  return startsAt.map((startAt2, index) => ({
    name: `owner${index}`,
    ...{ url: SHOP_URL + OWNED_PATH, startAt: startAt2, calls: 0, isDone: false, outcome: "" }
  }));
}
var finalities = [
  ...Array.from(
    { length: 5 },
    () => ({ shopFinality: "included", facilitatorFinality: "included" })
  ),
  { shopFinality: "irreversible", facilitatorFinality: "included" },
  { shopFinality: "included", facilitatorFinality: "irreversible" }
];
function createNodes(stream) {
  const count2 = stream.pick([1, 2, 3, 3, 3, 4]);
  let dishonestLeft = Math.floor((count2 - 1) / 2);
  return Array.from({ length: count2 }, (_, index) => {
    const slow = stream.deviate({ slow: 0.15 });
    const away = stream.deviate({ away: 0.2 });
    const awayFrom = away ? stream.between(-2e4, CALM_AT_MS) : 0;
    const isDishonest = stream.deviate({ dishonest: 0.25 }) !== null && dishonestLeft > 0;
    if (isDishonest) dishonestLeft--;
    const dishonesty = stream.pick(dishonesties);
    return {
      host: `node${index + 1}.sim`,
      lagMs: stream.between(0, 1200) + (slow?.size ?? 0) * 2500,
      delayMs: 30 + (slow?.size ?? 0) ** 2 * 4e3,
      awayFrom,
      awayUntil: away ? Math.min(CALM_AT_MS, awayFrom + away.size * 6e4) : 0,
      dishonesty: isDishonest ? dishonesty : null
    };
  });
}
var STEPS_MS = [1500, 6e4, 36e5, 8 * 864e5];
function createClockSteps(stream) {
  return [0, 1, 2].flatMap((index) => {
    const step = stream.deviate({ "a clock steps": 0.12 });
    const given = { process: Math.floor(stream.between(0, 5)), atMs: stream.between(0, CALM_AT_MS) };
    const byMs = (STEPS_MS[Math.floor((step?.size ?? 0) * 4)] ?? 0) * (stream.next() < 0.5 ? -1 : 1);
    return step && index < 3 ? [{ ...given, byMs }] : [];
  });
}

// tests/simulation/roles.ts
function bootFacilitator({ stage, slot, truth, terms }, process2, server) {
  const { createFacilitator, createFacilitatorHandlers, storeFailure } = slot.product;
  const facilitator2 = createFacilitator({
    store: openStore(stage, process2, server, { scale: terms.storeScale, storeFailure }),
    nodes: terms.nodes,
    chainId: MAINNET_CHAIN_ID,
    finality: terms.facilitatorFinality,
    waitMs: terms.waitMs,
    pollMs: terms.pollMs,
    recoverEveryMs: terms.recoverEveryMs,
    onFault: (error) => {
      if (!isExpected(error)) stage.violate(`${process2.name}: recovery failed: ${describe(error)}`);
    }
  });
  facilitator2.start();
  const handlers = createFacilitatorHandlers(
    facilitator2,
    (error) => stage.violate(`${process2.name}: ${describe(error)}`)
  );
  const isFinalFor = (body) => terms.facilitatorFinality === "irreversible" || body.includes('"finality":"irreversible"');
  let calls = 0;
  const markOf = (key) => key ?? `${process2.name}/${process2.life}/${calls++}`;
  const watch = ({ success, txId = "", blockNum, errorReason }, mark, body) => {
    const isFinal = isFinalFor(body);
    if (errorReason === "broadcast_rejected") truth.rejected(txId);
    if (success && process2.isAlive) truth.succeeded({ txId, blockNum, mark, isFinal });
  };
  const face = async (request, body) => {
    if (!request.url.endsWith("/settle")) return handlers.verify(request);
    const mark = markOf(request.headers.get("idempotency-key"));
    const response = await handlers.settle(request);
    if (response.ok) watch(await response.clone().json(), mark, body);
    return response;
  };
  const embedded = {
    verify: (body) => facilitator2.verify(body),
    async settle(body, options) {
      const mark = markOf(options?.idempotencyKey);
      const answer = await facilitator2.settle(body, options);
      watch(answer, mark, JSON.stringify(body));
      return answer;
    }
  };
  return { face, embedded };
}
var access = { for: "30d", account: (request) => request.headers.get("x-session") };
function bootShop({ stage, slot, truth, terms }, process2, given) {
  const { withPaywall, noteResponse, storeFailure } = slot.product;
  const store = openStore(stage, process2, given.server, { scale: terms.storeScale, storeFailure });
  const moods = stage.chance.stream(`${process2.name}.handler`);
  const readers = stage.chance.stream(`${process2.name}.readers`);
  const pages = Object.entries(terms.prices).map(([path, amount]) => {
    const page = withPaywall(
      {
        ...given.facilitator,
        amount,
        store,
        receivingAccount: "shop",
        secret: "the shop's secret",
        binding: terms.binding,
        paymentFlow: terms.flow,
        finality: terms.shopFinality,
        onFault: () => {
        },
        ...path === OWNED_PATH && { access }
      },
      async (request, { txId }) => {
        const mood = moods.deviate({
          ...{ throws: 0.06, "answers 500": 0.06, hangs: 0.06 },
          ...{ "answers 429": 0.03, "breaks off": 0.06 }
        });
        if (mood) stage.note(`${process2.name}: the handler ${mood.kind}`);
        if (mood?.kind === "hangs") await pause(process2, mood.size * 2e4);
        if (mood?.kind === "throws") throw new Error("out of order");
        if (mood?.kind === "answers 500") return new Response("out of order", { status: 500 });
        if (mood?.kind === "answers 429") return new Response("busy", { status: 429 });
        const header = request.headers.get("x-payment");
        const ids = header === null ? null : transferOf(header).ids;
        if (ids === null || txId !== ids.legacy && txId !== ids.hf26)
          return new Response(`owned by ${txId}`);
        const contentId = ids.legacy;
        const attempt = truth.handled(contentId, process2);
        attempts.set(request, attempt);
        if (mood?.kind === "breaks off") return new Response(breakingContent());
        attempt.hasWorked = true;
        return new Response(`content for ${contentId}`);
      }
    );
    return [path, page];
  });
  const attempts = /* @__PURE__ */ new Map();
  const byPath = new Map(pages);
  return async (request) => {
    const { life } = process2;
    const page = byPath.get(new URL(request.url).pathname);
    const outgoing = createOutgoing();
    noteResponse(request, outgoing.response);
    const response = page ? await page(request) : new Response("no such page", { status: 404 });
    const attempt = attempts.get(request);
    const leaving = attempt && response.ok ? readers.deviate({ "leaves early": 0.06 }) : null;
    if (leaving) stage.note(`${process2.name}: the reader ${leaving.kind}`);
    const text = leaving ? await leaveEarly(response) : await response.text().catch(() => void 0);
    if (process2.life !== life) return response;
    const isGone = request.signal.aborted;
    outgoing.end(text !== void 0 && !isGone);
    if (attempt) attempt.end = endOf(text, isGone);
    if (text === void 0) return halfOf(response);
    if (!isGone && text.startsWith("content for ")) truth.delivered(text.slice("content for ".length));
    const { status, headers } = response;
    return new Response(text, { status, headers });
  };
}
function createOutgoing() {
  const events = new EventEmitter();
  const response = Object.assign(events, {
    ...{ destroyed: false, headersSent: true, socket: { destroyed: false } }
  });
  return { response, end: (isWhole) => void events.emit(isWhole ? "finish" : "close") };
}
function endOf(text, isGone) {
  if (text !== void 0 && !text.startsWith("content for ")) return "withheld";
  return text === void 0 || isGone ? "broken" : "over";
}
async function answerWith(face, process2, question) {
  const { life } = process2;
  const { method, headers, body, signal } = question;
  const request = new Request(question.url, {
    method,
    headers,
    ...body && { body },
    signal: signal ?? null
  });
  process2.keep(request);
  const response = await (face ?? (() => Promise.reject(new Error("not started"))))(request, body ?? "");
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text()
  };
  if (process2.life !== life) throw new Error("died");
  return answer;
}
function pause(process2, ms) {
  return new Promise((resolve) => void process2.setTimer(resolve, ms));
}
var transfers = /* @__PURE__ */ new Map();
var TRANSFERS_MOST = 500;
function transferOf(header) {
  const known = transfers.get(header);
  if (known) return known;
  const transfer = readTransfer(decodePayment(header).payload.signedTransaction);
  if (typeof transfer === "string") throw new Error(`a payment that is no transfer: ${transfer}`);
  if (transfers.size >= TRANSFERS_MOST) transfers.clear();
  transfers.set(header, transfer);
  return transfer;
}
function isExpected(error) {
  const { code } = error;
  return code === "degraded" || code === "chain_unavailable";
}
var describe = (error) => error instanceof Error ? `${error.name}: ${error.message} ${String(error.cause ?? "")}` : String(error);

// lib/hive/private-key.ts
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 as sha2562 } from "@noble/hashes/sha2.js";
import { bytesToHex as bytesToHex2, utf8ToBytes as utf8ToBytes3 } from "@noble/hashes/utils.js";
var WIF_VERSION = 128;
var WIF_BYTES = 37;
var LONGEST_WIF = 60;
var SECRET_BYTES = 32;
var FIRST_BYTE = 31;
function decodeWif(wif) {
  const bytes = wif.length <= LONGEST_WIF ? decodeBase58(wif) : null;
  if (bytes?.length !== WIF_BYTES || bytes[0] !== WIF_VERSION) return null;
  const end = 1 + SECRET_BYTES;
  const checksum = sha2562(sha2562(bytes.subarray(0, end)));
  return bytes.subarray(end).every((byte, index) => byte === checksum[index]) ? bytes.subarray(1, end) : null;
}
function signDigest(digest, privateKey) {
  const signature = secp256k1.sign(digest, privateKey, { lowS: true });
  return (FIRST_BYTE + signature.recovery).toString(16) + bytesToHex2(signature.toCompactRawBytes());
}

// lib/x402/client/sign-with-key.ts
function signWithKey(transfer, wif, chainId) {
  const key = decodeWif(wif);
  if (!key) throw new TypeError("the active key is not a private key in WIF");
  const [[, { from: from2, to, amount, memo }]] = transfer.operations;
  const packed = packTransaction(
    {
      refBlockNum: transfer.ref_block_num,
      refBlockPrefix: transfer.ref_block_prefix,
      expiration: Date.parse(`${transfer.expiration}Z`) / 1e3,
      operations: [
        {
          type: "transfer",
          from: from2,
          to,
          memo,
          amount: { amount: BigInt(parseMillis(amount) ?? 0), symbol: "HBD" }
        }
      ]
    },
    "legacy"
  );
  return signDigest(signingDigest(packed, chainId), key);
}

// tests/simulation/thief.ts
var ODDS2 = {
  "sends it again": 0.12,
  "sends it elsewhere": 0.06,
  "settles it": 0.08,
  "settles it by a key": 0.05,
  "broadcasts it": 0.05,
  "forges one": 0.03
};
function createThief(stage, process2, at) {
  const stream = stage.chance.stream("thief");
  const send = (url, header) => process2.ask({ url, method: "GET", headers: { "x-payment": header }, body: void 0, signal: void 0 });
  const post = (url, body, headers = {}) => process2.ask({
    ...{ url, method: "POST", signal: void 0, body: JSON.stringify(body) },
    headers: { "content-type": "application/json", ...headers }
  });
  const meddle = (truth) => {
    truth.isMeddledWith ||= !at.isBound(truth);
  };
  const act = async (truth, kind, size) => {
    const { header, url } = truth;
    await pause(process2, size * size * 25e3);
    if (kind === "sends it again") await Promise.all([send(url, header), send(url, header)]);
    if (kind === "sends it elsewhere") {
      const elsewhere = at.paths.map((path) => at.shopUrl + path).filter((other) => other !== url);
      await Promise.all(elsewhere.map((other) => send(other, header)));
    }
    if (kind === "settles it" || kind === "settles it by a key") {
      meddle(truth);
      const headers = kind === "settles it" ? {} : { "idempotency-key": "stolen" };
      await post(`${at.facilitatorUrl}/settle`, settleBody(truth), headers);
    }
    if (kind === "broadcasts it") {
      meddle(truth);
      const { signedTransaction } = decodePayment(header).payload;
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "condenser_api.broadcast_transaction",
        params: [signedTransaction]
      };
      await post(stream.pick(at.nodes), call);
    }
    if (kind === "forges one") await send(url, forge(header));
  };
  return (truth) => {
    const deed = stream.deviate(ODDS2);
    if (!deed) return;
    stage.note(`the thief ${deed.kind}`);
    act(truth, deed.kind, deed.size).catch(() => {
    });
  };
}
var READ_EVERY_MS = 1500;
var POSTS_MOST = 70;
function startBlockReader(stage, process2, { truths, isCharged, hosts }) {
  if (!stage.chance.stream("block reader").deviate({ "reads blocks": 0.3 })) return;
  const posts = /* @__PURE__ */ new Map();
  const post = async (truth, host, key) => {
    const headers = { "content-type": "application/json", ...key && { "idempotency-key": key } };
    const body = JSON.stringify(settleBody(truth));
    const question = { url: `http://${host}/settle`, method: "POST", headers, body, signal: void 0 };
    const answer = await process2.ask(question).catch(() => null);
    if (answer?.body.includes('"success":true') && !truth.isMeddledWith)
      stage.violate(`payment ${truth.transfer.ids.legacy.slice(0, 8)}: success for a reader of blocks`);
  };
  const read2 = () => {
    for (const truth of truths.values()) {
      const count2 = posts.get(truth) ?? 0;
      if (count2 >= POSTS_MOST || !isCharged(truth)) continue;
      posts.set(truth, count2 + 1);
      for (const host of hosts) void post(truth, host, count2 % 2 === 0 ? void 0 : `made-up-${count2}`);
    }
    stage.scheduler.after(READ_EVERY_MS, read2);
  };
  stage.scheduler.after(READ_EVERY_MS, read2);
}
function settleBody({ transfer, header, url }) {
  const paymentPayload = decodePayment(header);
  return {
    x402Version: 1,
    paymentPayload,
    paymentRequirements: {
      x402Version: 1,
      scheme: "exact",
      network: paymentPayload.network,
      maxAmountRequired: formatMillis(transfer.amountMillis),
      resource: url,
      payTo: transfer.to,
      validBefore: "2030-01-01T00:00:00.000Z"
    }
  };
}
function forge(header) {
  const payment = decodePayment(header);
  const { signedTransaction } = payment.payload;
  const nonce = `forged${"0".repeat(20)}`;
  const [[, operation]] = signedTransaction.operations;
  const transfer = {
    ...signedTransaction,
    operations: [["transfer", { ...operation, memo: `x402:${nonce}` }]]
  };
  const signatures = [signWithKey(transfer, accounts.mallory.wif, MAINNET_CHAIN_ID)];
  return encodePayment({ ...payment, payload: { nonce, signedTransaction: { ...transfer, signatures } } });
}

// tests/simulation/audit.ts
var TRIES_MOST = 600;
var MEDDLED_TRIES_MOST = 40;
var BETWEEN_MS = 3e3;
var LIFE_MS = 62e3;
function createAudit({ violate, note, scheduler }, process2, truth, given) {
  let open = 0;
  const ask = async (url, given2, triesMost = TRIES_MOST) => {
    for (let tries = 0; tries < triesMost; tries++) {
      const method = given2.body === void 0 ? "GET" : "POST";
      const question = { url, method, headers: given2.headers, body: given2.body, signal: void 0 };
      const answer = await process2.ask(question).catch(() => null);
      const isOpen = answer === null || answer.status >= 500 || answer.body.includes("settlement_pending");
      if (!isOpen) return answer;
      await pause(process2, BETWEEN_MS);
    }
    return null;
  };
  const check = async (payment) => {
    const name = `payment ${payment.transfer.ids.legacy.slice(0, 8)}`;
    const triesMost = payment.isMeddledWith ? MEDDLED_TRIES_MOST : TRIES_MOST;
    const answer = await ask(payment.url, { headers: { "x-payment": payment.header } }, triesMost);
    note(`audit of ${name}: ${answer?.status} ${answer?.body.slice(0, 200)}`);
    if (!answer) return payment.isMeddledWith ? void 0 : violate(`${name}: no end of it`);
    const isOver = given.areOffersShort && codeOf(answer.body) === "requirements_expired";
    const isExcused = payment.isMeddledWith || isLostOnItsWay(payment) || isOver;
    if (payment.url.endsWith(OWNED_PATH) && payment.deliveries === 1) {
      const visit = await ask(payment.url, { headers: { "x-session": payment.transfer.from } });
      if (!visit?.body.startsWith("owned by")) return violate(`${name}: its owner is not let back in`);
    }
    if (truth.isCharged(payment) && payment.deliveries === 0 && !isExcused)
      return violate(`${name}: charged, and can't be had: ${answer.status} ${codeOf(answer.body)}`);
    if (payment.successes.size === 0) return;
    const headers = { "content-type": "application/json" };
    await ask(`${given.facilitatorUrl}/settle`, { headers, body: JSON.stringify(settleBody(payment)) });
  };
  const isDue = (payment) => {
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
        while (!isDue(payment)) await pause(process2, BETWEEN_MS);
        await check(payment);
        open--;
      };
      run().catch((error) => violate(`audit: ${String(error)}`));
    }
  };
}
function codeOf(body) {
  return /"code":"([a-z_]+)"/.exec(body)?.[1] ?? "";
}

// tests/simulation/chance.ts
function createChance(seed, allowed = null) {
  const streams = /* @__PURE__ */ new Map();
  const deviations = [];
  let wildness = 1;
  const createStream = (name) => {
    const random = createRandom(hash(`${seed}/${name}`));
    let index = 0;
    return {
      next: random,
      between: (low, high) => low + random() * (high - low),
      pick: (values2) => values2[Math.floor(random() * values2.length)],
      deviate(odds) {
        let rest2 = random();
        const size = random();
        const id = `${name}#${index++}`;
        for (const kind in odds) {
          const probability = (odds[kind] ?? 0) * wildness;
          if (rest2 < probability) {
            if (allowed && !allowed.has(id)) return null;
            deviations.push({ id, kind });
            return { kind, size };
          }
          rest2 -= probability;
        }
        return null;
      }
    };
  };
  return {
    stream(name) {
      const present = streams.get(name) ?? createStream(name);
      streams.set(name, present);
      return present;
    },
    setWildness(factor) {
      wildness = factor;
    },
    deviations
  };
}
function hash(text, start = 2166136261) {
  let state = start;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), 16777619);
  return state >>> 0;
}
function createRandom(start) {
  let state = start;
  return () => {
    state = state + 1831565813 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  };
}

// tests/simulation/copier.ts
var READ_EVERY_MS2 = 2500;
var ROUNDS_MOST = 30;
function startCopier(stage, process2, given) {
  const stream = stage.chance.stream("copier");
  if (!stream.deviate({ "copies payments": 0.4 })) return;
  const rounds = /* @__PURE__ */ new Map();
  const show = async (truth, host, path, header) => {
    const { host: site } = new URL(truth.url);
    const question = {
      url: `http://${host}${path}`,
      method: "GET",
      headers: { "x-payment": header, host: site },
      body: void 0,
      signal: void 0
    };
    const answer = await process2.ask(question).catch(() => null);
    if (!truth.isMeddledWith && /^(content for|owned by) /.test(answer?.body ?? ""))
      stage.violate(`payment ${truth.transfer.ids.legacy.slice(0, 8)}: its content for a reader of blocks`);
  };
  const copy = () => {
    for (const truth of given.truths.values()) {
      const count2 = rounds.get(truth) ?? 0;
      if (!truth.hasHolder || count2 >= ROUNDS_MOST || !given.isCharged(truth)) continue;
      rounds.set(truth, count2 + 1);
      const header = copyOf(truth.header, count2 % 2 === 0 ? void 0 : "t".repeat(43));
      const paths = /* @__PURE__ */ new Set([new URL(truth.url).pathname, stream.pick(given.paths)]);
      for (const host of given.hosts) for (const path of paths) void show(truth, host, path, header);
    }
    stage.scheduler.after(READ_EVERY_MS2, copy);
  };
  stage.scheduler.after(READ_EVERY_MS2, copy);
}
function copyOf(header, holder) {
  const payment = decodePayment(header);
  const { holder: _secret, ...copied } = payment.payload;
  return encodePayment({ ...payment, payload: { ...copied, ...holder !== void 0 && { holder } } });
}

// tests/simulation/environment.ts
import { createHash as createHash2 } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createRequire } from "node:module";
var require2 = createRequire(import.meta.url);
function createSlot(load) {
  let current = null;
  const process2 = () => {
    if (!current) throw new Error("no process runs here");
    return current;
  };
  const product = load(createEnvironment(process2));
  return {
    product,
    occupy(next) {
      current = next;
    }
  };
}
function createEnvironment(process2) {
  class SimulatedDate extends Date {
    constructor(...given) {
      super(...given.length === 0 ? [process2().wallMs()] : given);
    }
    static now = () => Math.floor(process2().wallMs());
  }
  const setTimeout = (work, ms = 0, ...given) => process2().setTimer(() => work(...given), ms);
  const setInterval = (work, ms = 0, ...given) => process2().setTimer(() => work(...given), ms, { isRepeated: true });
  const clear = (timer) => {
    if (timer) timer.isCancelled = true;
  };
  const getRandomValues = (bytes) => bytes.map(() => process2().random.next() * 256);
  const fill = (bytes) => {
    bytes.set(getRandomValues(bytes));
    return bytes;
  };
  const crypto = { getRandomValues: fill, randomUUID: () => uuidOf(fill(new Uint8Array(16))) };
  const globals = {
    Date: SimulatedDate,
    performance: {
      get timeOrigin() {
        return process2().timeOrigin;
      },
      now: () => process2().monotonicMs()
    },
    fetch: createFetch(process2),
    crypto,
    AbortSignal: createAbortSignals(process2),
    setTimeout,
    clearTimeout: clear,
    setInterval,
    clearInterval: clear,
    setImmediate: (work) => setTimeout(work, 0)
  };
  globals.globalThis = Object.create(globalThis, Object.getOwnPropertyDescriptors(globals));
  const modules = {
    "node:crypto": {
      createHash: createHash2,
      ...crypto,
      webcrypto: crypto,
      randomBytes: (n) => fill(Buffer.alloc(n))
    },
    "node:module": { createRequire: () => require2 },
    "node:timers/promises": { setTimeout: createWait(process2) },
    "node:perf_hooks": { performance: globals.performance },
    undici: createUndici(process2)
  };
  return { globals, modules };
}
function uuidOf(bytes) {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
function createWait(process2) {
  return (ms = 0, value, { signal } = {}) => new Promise((resolve, reject) => {
    const stop = () => {
      timer.isCancelled = true;
      reject(new DOMException("The operation was aborted", "AbortError"));
    };
    const timer = process2().setTimer(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value);
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
var TOO_LATE = new DOMException("The operation was aborted due to timeout", "TimeoutError");
function createAbortSignals(process2) {
  return {
    abort: (reason) => AbortSignal.abort(reason),
    timeout(ms) {
      const controller = new AbortController();
      process2().setTimer(() => controller.abort(TOO_LATE), ms);
      return controller.signal;
    },
    any(signals) {
      const controller = new AbortController();
      for (const signal of signals) {
        setMaxListeners(0, signal);
        if (signal.aborted) controller.abort(signal.reason);
        else signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
      }
      return controller.signal;
    }
  };
}
function createFetch(process2) {
  return async (input, init = {}) => {
    const { body } = init;
    const question = {
      url: input instanceof Request ? input.url : String(input),
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof body === "string" ? body : body ? Buffer.from(body).toString() : void 0,
      signal: init.signal ?? void 0
    };
    const answer = await process2().ask(question).catch((error) => {
      throw init.signal?.aborted ? error : new TypeError("fetch failed", { cause: error });
    });
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };
}
function createUndici(process2) {
  class Agent {
    async close() {
    }
    async destroy() {
    }
  }
  const request = async (url, { method = "GET", headers = {}, body, signal } = {}) => {
    const answer = await process2().ask({ url: String(url), method, headers, body, signal });
    return { statusCode: answer.status, headers: answer.headers, body: bodyOf(answer) };
  };
  return { Agent, request };
}
function bodyOf({ body }) {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(body);
    },
    async text() {
      return body;
    },
    async dump() {
    }
  };
}

// tests/simulation/network.ts
var PATIENCE_MS = 45e3;
var ODDS3 = {
  refused: 0.02,
  "request lost": 0.02,
  "answer lost": 0.03,
  "answer cut": 0.03,
  "request doubled": 0.02,
  "request late": 0.04,
  "answer late": 0.04,
  overloaded: 0.02,
  nonsense: 0.01,
  "answer replaced": 0.02
};
var NONSENSE = { status: 200, headers: {}, body: "<html>" };
function createNetwork(stage, scale) {
  const servers = /* @__PURE__ */ new Map();
  const balanced = /* @__PURE__ */ new Map();
  const open = /* @__PURE__ */ new Set();
  const odds = Object.fromEntries(
    Object.entries(ODDS3).map(([kind, probability]) => [kind, probability * scale])
  );
  return {
    serve: (host, server) => void servers.set(host, server),
    balance: (host, choose) => void balanced.set(host, choose),
    cut(name) {
      for (const connection of open)
        if (connection.client === name || connection.server === name) connection.reset();
    },
    exchange(from2, question, end) {
      const { chance, scheduler, note } = stage();
      const { host: named, pathname } = new URL(question.url);
      const host = balanced.get(named)?.() ?? named;
      const server = servers.get(host);
      const stream = chance.stream(`${from2.name}>${host}`);
      const fault = stream.deviate(odds);
      const label = `${from2.name} > ${host} ${labelOf(question, pathname)}`;
      const [there, back] = [stream.between(1, 25), stream.between(1, 25)];
      if (fault) note(`${label} [${fault.kind}]`);
      const is = (kind) => fault?.kind === kind;
      const lateMs = fault ? fault.size * fault.size * 12e3 : 0;
      const away = server?.heedsCallers ? new AbortController() : null;
      let isOver = false;
      const finish = (outcome) => {
        if (isOver) return;
        isOver = true;
        open.delete(connection);
        question.signal?.removeEventListener("abort", leave);
        end(outcome);
      };
      const fail = (code) => finish(() => {
        throw Object.assign(new Error(`network: ${code}`), { code });
      });
      const leave = () => {
        if (away) scheduler.after(there, () => away.abort());
        const reason = question.signal?.reason;
        finish(() => {
          throw reason;
        });
      };
      const connection = {
        client: from2.name,
        server: host,
        reset: () => {
          open.delete(connection);
          scheduler.after(back, () => {
            away?.abort();
            fail("ECONNRESET");
          });
        }
      };
      open.add(connection);
      if (question.signal?.aborted) return leave();
      question.signal?.addEventListener("abort", leave);
      if (away) scheduler.after(PATIENCE_MS, () => fail("UND_ERR_HEADERS_TIMEOUT"));
      const deliver = (given) => {
        if (is("answer lost")) return;
        if (is("answer cut")) return void scheduler.after(back, () => fail("ECONNRESET"));
        const answer = is("answer replaced") ? NONSENSE : given;
        scheduler.after(back + (is("answer late") ? lateMs : 0), () => {
          if (!isOver) note(`${label} = ${answer.status} ${answer.body.slice(0, 160)}`);
          finish(() => answer);
        });
      };
      const arrive = () => {
        if (!server?.isUp()) return void scheduler.after(back, () => fail("ECONNREFUSED"));
        server.answer({ ...question, signal: away?.signal }).then(deliver, () => connection.reset());
      };
      if (is("refused") || !server) return void scheduler.after(there, () => fail("ECONNREFUSED"));
      if (is("request lost")) return;
      if (is("overloaded")) return deliver({ status: 503, headers: {}, body: "busy" });
      if (is("nonsense")) return deliver(NONSENSE);
      scheduler.after(there + (is("request late") ? lateMs : 0), arrive);
      if (is("request doubled")) scheduler.after(there + lateMs, arrive);
    }
  };
}
function labelOf({ method, body }, pathname) {
  const rpc = pathname === "/" && body ? /"method":"([^"]+)"/.exec(body)?.[1] : void 0;
  return rpc ?? `${method} ${pathname}`;
}

// tests/simulation/payer.ts
var CALLS_MOST = 4;
function notingBirths(store, born) {
  const note = (value) => {
    for (const [, header = ""] of value.matchAll(/"header":"([^"]+)"/g)) born(header);
  };
  return {
    ...store,
    setIfAbsent(key, value, ttl) {
      note(value);
      return store.setIfAbsent(key, value, ttl);
    },
    replace(key, expected, value, ttl) {
      note(value);
      return store.replace(key, expected, value, ttl);
    }
  };
}
function bootPayer({ stage, slot, truth, nodes, budget, purse, births, hasHolder }, process2, errands, onSigned) {
  const { scheduler, chance, note } = stage;
  const moods = chance.stream(`${process2.name}.mood`);
  const { life } = process2;
  const born = (header) => {
    const { ids } = transferOf(header);
    const birth = births.get(ids.legacy) ?? { life: process2.life, at: scheduler.now() };
    births.set(ids.legacy, birth);
    return birth;
  };
  const begunAt = /* @__PURE__ */ new Map();
  const observe = (question) => {
    const header = question.headers["x-payment"];
    if (header === void 0) return;
    const transfer = transferOf(header);
    const known = truth.truths.has(transfer.ids.legacy);
    const named = question.headers["x-call"] ?? "";
    const birth = born(header);
    const isOlder = birth.at < (begunAt.get(named) ?? 0);
    const call = isOlder ? `before ${named} ${transfer.ids.legacy}` : named;
    const { url } = question;
    const payment = truth.signed({ transfer, header, url, call, payerLife: birth.life, hasHolder });
    if (!known) onSigned(payment);
  };
  const payingFetch = slot.product.createPayingFetch({
    account: "alice",
    activeKey: accounts.alice.wif,
    nodes,
    maxPayment: budget.maxMillis / 1e3,
    budget: {
      perDay: budget.perDayMillis / 1e3,
      perHost: budget.perHostMillis / 1e3,
      ...purse && {
        store: notingBirths(
          openStore(stage, process2, purse.server, {
            scale: purse.scale,
            storeFailure: slot.product.storeFailure
          }),
          (header) => born(header)
        )
      }
    },
    fetch: async (input, init = {}) => {
      const question = {
        url: String(input),
        method: init.method ?? "GET",
        headers: Object.fromEntries(new Headers(init.headers)),
        body: void 0,
        signal: init.signal ?? void 0
      };
      if (!process2.isAlive || process2.life !== life) return new Promise(() => {
      });
      const { "x-payment": payment } = question.headers;
      if (payment !== void 0 && !hasHolder) question.headers["x-payment"] = copyOf(payment);
      observe(question);
      return asRead(await process2.ask(question));
    }
  });
  const run = async (errand) => {
    if (scheduler.now() < errand.startAt) await pause(process2, errand.startAt - scheduler.now());
    while (!errand.isDone) {
      const impatience = moods.deviate({ "goes away": 0.1 });
      const controller = new AbortController();
      if (impatience) process2.setTimer(() => controller.abort(), 200 + impatience.size * 12e3);
      const headers = { "x-call": `${errand.name}.${errand.calls++}` };
      begunAt.set(headers["x-call"], scheduler.now());
      try {
        const response = await payingFetch(errand.url, { headers, signal: controller.signal });
        const text = await response.text();
        errand.outcome = `${response.status} ${text.slice(0, 60)}`;
        if (response.ok && text !== NONSENSE.body) errand.isDone = true;
      } catch (error) {
        const { name, code } = error;
        errand.outcome = `${name} ${code ?? ""}`;
        if (error instanceof RangeError || name === "ReferenceError")
          stage.violate(`the paying client threw ${String(error)}`);
      }
      note(`${errand.name}: ${errand.outcome}`);
      if (errand.calls >= CALLS_MOST) errand.isDone = true;
      if (!errand.isDone) await pause(process2, 500 + moods.next() * 1e4);
    }
  };
  for (const errand of errands)
    if (!errand.isDone) run(errand).catch((error) => stage.violate(`payer: ${String(error)}`));
}

// tests/simulation/scheduler.ts
var isBefore = (one, other) => one.at < other.at || one.at === other.at && one.order < other.order;
function createScheduler(maxEvents) {
  const heap = [];
  let now = 0;
  let scheduled = 0;
  let eventCount = 0;
  const push = (event) => {
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = index - 1 >> 1;
      const above = heap[parent];
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  };
  const pop = () => {
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let index = 0;
    for (; ; ) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (!left) break;
      const right = heap[child + 1];
      if (right && isBefore(right, left)) child++;
      const below = heap[child];
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  };
  return {
    now: () => now,
    after(delayMs, work) {
      push({ at: now + Math.max(0, delayMs), order: scheduled++, work });
    },
    async run(untilMs, isDone) {
      await rest();
      while (!isDone()) {
        const [next] = heap;
        if (!next || next.at > untilMs) break;
        if (eventCount >= maxEvents) throw new Error(`the run does not end: ${maxEvents} events`);
        pop();
        now = next.at;
        eventCount++;
        next.work();
        await rest();
      }
      now = Math.max(now, Math.min(untilMs, heap[0]?.at ?? untilMs, untilMs));
    },
    get eventCount() {
      return eventCount;
    }
  };
}
var rest = () => new Promise((resolve) => setImmediate(resolve));

// lib/hive/recover-key.ts
import { createRequire as createRequire2 } from "node:module";

// lib/hive/recover-in-javascript.ts
import { secp256k1 as secp256k12 } from "@noble/curves/secp256k1.js";
var LOWEST_FIRST_BYTE = 27;
var HIGHEST_FIRST_BYTE = 34;
var recoverInJavascript = (digest, compact, recoveryId) => secp256k12.Signature.fromCompact(compact).addRecoveryBit(recoveryId).recoverPublicKey(digest).toRawBytes(true);
function recoverWith(recover, digest, signature) {
  const first = signature[0] ?? 0;
  if (signature.length !== SIGNATURE_BYTES || first < LOWEST_FIRST_BYTE || first > HIGHEST_FIRST_BYTE)
    return null;
  try {
    return recover(digest, signature.subarray(1), first - LOWEST_FIRST_BYTE & 3);
  } catch {
    return null;
  }
}

// lib/hive/recover-key.ts
function loadNative() {
  try {
    const addon = createRequire2(import.meta.url)("secp256k1/bindings.js");
    return (digest, compact, recoveryId) => addon.ecdsaRecover(compact, recoveryId, digest, true);
  } catch {
    process.emitWarning(
      "No compiled secp256k1 is installed here, or none fits this platform: signatures are checked about 20 times slower. `npm install secp256k1@5` adds it.",
      { code: "HIVEGATE_SLOW_CRYPTO" }
    );
    return null;
  }
}
var native;
function nativeRecover() {
  if (native === void 0) native = loadNative();
  return native;
}
function recoverPublicKey(digest, signature) {
  return recoverWith(nativeRecover() ?? recoverInJavascript, digest, signature);
}

// tests/simulation/simulated-node.ts
var LATE_MS2 = 1e4;
var UNKNOWN_METHOD = { error: { code: -32601, message: "Method not found" } };
function serveNode(stage, chain, character) {
  const { scheduler, note } = stage;
  const { host, delayMs, lagMs, dishonesty } = character;
  const stream = stage.chance.stream(`${host}.node`);
  const state = { chain, mempool: /* @__PURE__ */ new Map(), view: () => chain.view(lagMs) };
  const broadcast = (input) => {
    const transfer = identify(input);
    if (!transfer) return refuse("missing required active authority", 301e4);
    const { head } = state.view();
    const { id } = transfer;
    if (findTransfer(head, id) || state.mempool.has(id)) return refuse("Duplicate transaction check failed");
    if (transfer.transfer.expirationMs <= head.timeMs) return refuse("transaction expired", 4030100);
    const balances = new Map(head.balances);
    for (const { transfer: other } of state.mempool.values())
      balances.set(other.from, (balances.get(other.from) ?? 0) - other.amountMillis);
    if (!isValidOn(head, transfer, balances)) return refuse("not valid on this chain");
    const fault = stream.deviate({ "forgets what it took": 0.02 });
    if (fault) note(`${host} forgets ${id.slice(0, 8)}`);
    if (fault) return { result: {} };
    state.mempool.set(id, transfer);
    chain.submit(transfer, stream.between(10, 900));
    return { result: {} };
  };
  const answer = (method, params) => {
    sweep(state);
    const isBroadcast = /broadcast_transaction$/.test(method);
    const transaction = Array.isArray(params) ? params[0] : params?.trx;
    const id = isBroadcast ? identify(transaction)?.id : void 0;
    const late = id === void 0 ? null : stream.deviate({ "its gateway errs and sends it on late": 0.12 });
    if (late && id !== void 0) {
      note(`the gateway of ${host} errs, and keeps ${id.slice(0, 8)}`);
      chain.held.add(id);
      scheduler.after(late.size * LATE_MS2, () => {
        chain.held.delete(id);
        broadcast(transaction);
      });
      const code = stream.pick([-32e3, -32003, -32003, -32005, 1e3, 1050, 1100]);
      return { error: { code, message: "Server error" } };
    }
    const honest = () => isBroadcast ? broadcast(transaction) : read(state, method, params);
    const later = (work) => void scheduler.after(stream.next() * LATE_MS2, work);
    const asked = { stream, state, method, params, later };
    return (dishonesty && byzantineAnswer({ dishonesty, ...asked }, honest)) ?? honest();
  };
  const server = {
    heedsCallers: false,
    isUp: () => scheduler.now() < character.awayFrom || scheduler.now() >= character.awayUntil,
    answer: ({ body = "" }) => new Promise((resolve) => {
      const { id, method, params } = JSON.parse(body);
      scheduler.after(delayMs * stream.next(), () => {
        const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) });
        resolve({ status: 200, headers: {}, body: text });
      });
    })
  };
  stage.network.serve(host, server);
}
function sweep({ mempool, view }) {
  for (const [id, { transfer }] of mempool)
    if (findTransfer(view().head, id) || transfer.expirationMs < view().head.timeMs) mempool.delete(id);
}
var timeText = (ms) => new Date(ms).toISOString().slice(0, 19);
function read(state, method, params) {
  const { head, irreversibleNum } = state.view();
  const [first] = Array.isArray(params) ? params : [];
  const named = Array.isArray(params) ? {} : params;
  switch (method) {
    case "database_api.get_version":
      return { result: { chain_id: MAINNET_CHAIN_ID } };
    case "database_api.get_dynamic_global_properties":
    case "condenser_api.get_dynamic_global_properties":
      return {
        result: {
          head_block_number: head.num,
          head_block_id: head.id,
          time: timeText(head.timeMs),
          last_irreversible_block_num: irreversibleNum
        }
      };
    case "condenser_api.get_block_header": {
      const block = blockAt(head, Number(first));
      return {
        result: block && { previous: block.parent?.id ?? "0".repeat(40), timestamp: timeText(block.timeMs) }
      };
    }
    case "condenser_api.get_block": {
      const block = blockAt(head, Number(first));
      return {
        result: block && { block_id: block.id, transaction_ids: block.transfers.map(({ id }) => id) }
      };
    }
    case "database_api.find_accounts":
      return { result: { accounts: accountsOf(named.accounts, (name) => head.balances.get(name) ?? 0) } };
    case "condenser_api.get_accounts":
      return { result: accountsOf(first, (name) => head.balances.get(name) ?? 0) };
    case "transaction_status_api.find_transaction":
      return { result: statusOf(state, String(named.transaction_id), String(named.expiration)) };
    case "account_history_api.get_transaction":
    case "condenser_api.get_transaction": {
      const found = findTransfer(head, String(named.id ?? first));
      return found ? { result: { block_num: found.block.num } } : refuse("Unknown Transaction");
    }
    default:
      return UNKNOWN_METHOD;
  }
}
function statusOf({ mempool, chain, view }, id, expiration) {
  const { head, irreversibleNum } = view();
  const found = findTransfer(head, id);
  if (found) {
    const isFinal = found.block.num <= irreversibleNum;
    return {
      status: isFinal ? "within_irreversible_block" : "within_reversible_block",
      block_num: found.block.num
    };
  }
  if (mempool.has(id) || chain.isWaiting(id)) return { status: "within_mempool" };
  const expirationMs = Date.parse(`${expiration}Z`);
  if (expirationMs > head.timeMs) return { status: "unknown" };
  const irreversible = blockAt(head, irreversibleNum);
  return {
    status: irreversible && expirationMs < irreversible.timeMs ? "expired_irreversible" : "expired_reversible"
  };
}
var identified = /* @__PURE__ */ new Map();
var MAX_IDENTIFIED = 2e3;
function identify(input) {
  const text = JSON.stringify(input);
  const known = identified.get(text);
  if (known !== void 0) return known;
  const transfer = readTransfer(input);
  const signature = typeof transfer === "string" ? void 0 : transfer.signatures[0];
  const payer = typeof transfer === "string" ? void 0 : accounts[transfer.from];
  let found = null;
  if (typeof transfer !== "string" && signature && payer)
    for (const packing of ["hf26", "legacy"]) {
      const key = recoverPublicKey(signingDigest(transfer.packed[packing], MAINNET_CHAIN_ID), signature);
      if (key && Buffer.from(key).equals(payer.publicKeyBytes))
        found ??= { id: transfer.ids[packing], transfer };
    }
  if (identified.size >= MAX_IDENTIFIED) identified.clear();
  identified.set(text, found);
  return found;
}

// tests/simulation/run.ts
var EVENTS_MOST = 6e4;
var END_MS = 24e5;
function createRunner(load) {
  const slots = {};
  for (const name of ["payer", "fac1.sim", "fac2.sim", "shop1.sim", "shop2.sim"])
    slots[name] = createSlot(load);
  return {
    async run(seed, { allowed, isTraced = false } = {}) {
      const trace = [];
      let traceHash = 0;
      let violation = null;
      const scheduler = createScheduler(EVENTS_MOST);
      const chance = createChance(seed, allowed ?? null);
      const world = createWorld(chance);
      const stage = {
        chance,
        scheduler,
        network: createNetwork(() => stage, world.scales.network),
        note(text) {
          const line = `${(scheduler.now() / 1e3).toFixed(3).padStart(9)}  ${text}`;
          traceHash = hash(line, traceHash);
          if (isTraced) trace.push(line);
        },
        violate(what) {
          violation ??= what;
          stage.note(`VIOLATION ${what}`);
        }
      };
      const onRejection = (error) => stage.violate(`unhandled rejection: ${describe(error)}`);
      process.on("unhandledRejection", onRejection);
      const finish = await play(stage, slots, world, () => violation !== null).catch((error) => {
        stage.violate(describe(error));
        return null;
      });
      process.off("unhandledRejection", onRejection);
      return {
        ...{ seed, violation, traceHash, trace, deviations: chance.deviations, events: scheduler.eventCount },
        counts: finish?.() ?? { signed: 0, charged: 0, delivered: 0 },
        outcomes: world.errands.map(({ outcome }) => outcome)
      };
    }
  };
}
async function play(stage, slots, world, isBroken) {
  const { scheduler, network, chance } = stage;
  const { scales, terms, budget, errands } = world;
  const chain = createSimulatedChain(stage, { ...world, scale: scales.chain });
  for (const character of world.nodes) serveNode(stage, chain, character);
  chain.start();
  const [payments, claims] = [createStoreServer("payments"), createStoreServer("claims")];
  const { isPurseKept, hasHolder } = world;
  const births = /* @__PURE__ */ new Map();
  const truth = createLedgerOfTruth(stage, chain, {
    ...{ budget, claims, isPurseKept, flow: terms.flow },
    requestsFor: (url) => errands.filter((errand) => errand.url === url).length
  });
  const purse = isPurseKept ? { server: createStoreServer("purse"), scale: scales.store } : null;
  const processes = [];
  const create = (name, boot) => {
    let face = null;
    const slot = slots[name];
    const process2 = createSimulatedProcess(stage, {
      name,
      odds: slot ? world.crashOdds : 0,
      boot: () => {
        face = slot ? boot(process2, slot) : null;
      }
    });
    slot?.occupy(process2);
    network.serve(name, {
      heedsCallers: true,
      isUp: () => process2.isAlive,
      answer: (question) => answerWith(face, process2, question)
    });
    processes.push(process2);
    return process2;
  };
  const role = (slot) => ({ stage, slot, truth, terms: { ...terms, storeScale: scales.store } });
  const facilitators = ["fac1.sim", "fac2.sim"].slice(0, world.facilitators);
  if (!world.isEmbedded)
    for (const name of facilitators)
      create(name, (process2, slot) => bootFacilitator(role(slot), process2, payments).face);
  const shops = ["shop1.sim", "shop2.sim"].slice(0, world.shops);
  for (const name of shops)
    create(name, (process2, slot) => {
      if (!world.isEmbedded)
        return bootShop(role(slot), process2, {
          server: claims,
          facilitator: { facilitatorUrl: FACILITATOR_URL }
        });
      const { face, embedded } = bootFacilitator(role(slot), process2, payments);
      const shop = bootShop(role(slot), process2, { server: claims, facilitator: { facilitator: embedded } });
      return (request, body) => (/\/(settle|verify)$/.test(request.url) ? face : shop)(request, body);
    });
  const balancer = chance.stream("balancer");
  network.balance("shop.sim", () => balancer.pick(shops));
  network.balance("pay.sim", () => balancer.pick(world.isEmbedded ? shops : facilitators));
  const outsider = create("outsider", () => null);
  const addresses = { shopUrl: SHOP_URL, facilitatorUrl: FACILITATOR_URL, nodes: terms.nodes };
  const isBound = ({ transfer: { ids } }) => claims.entries.has(`x402:claim:${ids.legacy}`) && payments.entries.get(`x402:payment:${ids.legacy}`)?.value.includes('"owner":') === true;
  const steal = createThief(stage, outsider, { ...addresses, isBound, paths: Object.keys(terms.prices) });
  startCopier(stage, outsider, { ...truth, hosts: shops, paths: Object.keys(terms.prices) });
  startBlockReader(stage, outsider, { ...truth, hosts: world.isEmbedded ? shops : facilitators });
  const areErrandsDone = () => errands.every((errand) => errand.isDone);
  const audit = createAudit(stage, outsider, truth, {
    facilitatorUrl: FACILITATOR_URL,
    calmAtMs: CALM_AT_MS,
    isQuiet: areErrandsDone,
    areOffersShort: world.clockSteps.some(({ byMs }) => byMs > 0)
  });
  create("payer", (process2, slot) => {
    const payer = { stage, slot, truth, nodes: terms.nodes, budget, purse, births, hasHolder };
    bootPayer(payer, process2, errands, (payment) => {
      steal(payment);
      audit.watch(payment);
    });
    return null;
  });
  chance.setWildness(0);
  for (const process2 of processes) process2.start();
  scheduler.after(0, () => chance.setWildness(1));
  for (const { process: process2, atMs, byMs } of world.clockSteps)
    scheduler.after(atMs, () => processes[process2]?.stepClock(byMs));
  scheduler.after(CALM_AT_MS, () => {
    chance.setWildness(0);
    for (const store of [payments, claims, ...purse ? [purse.server] : []]) store.downUntil = 0;
    stage.note("calm");
  });
  await scheduler.run(END_MS, () => isBroken() || areErrandsDone() && audit.isDone());
  if (!isBroken()) truth.checkPurchases(SHOP_URL + OWNED_PATH);
  if (!isBroken() && !areErrandsDone()) stage.violate("an errand does not end");
  if (!isBroken() && !audit.isDone()) stage.violate("the audit does not end");
  return () => ({
    signed: truth.truths.size,
    charged: [...truth.truths.values()].filter(truth.isCharged).length,
    delivered: [...truth.truths.values()].filter(({ deliveries }) => deliveries > 0).length
  });
}

// tests/simulation/shrink.ts
var RUNS_MOST = 400;
var kindOf = (violation) => violation.replace(/\b[0-9a-f]{8}\b/g, "\u2026").replace(/\d+/g, "N");
async function shrink(runner2, failed) {
  const wanted = kindOf(failed.violation ?? "");
  let best = failed;
  let runs = 0;
  let size = Math.ceil(best.deviations.length / 2);
  while (runs < RUNS_MOST) {
    let hasShrunk = false;
    for (let start = 0; start < best.deviations.length && runs < RUNS_MOST; ) {
      const kept = best.deviations.filter((_, index) => index < start || index >= start + size);
      const allowed = new Set(kept.map(({ id }) => id));
      const result = await runner2.run(failed.seed, { allowed });
      runs++;
      if (kindOf(result.violation ?? "") === wanted && result.deviations.length < best.deviations.length) {
        best = result;
        hasShrunk = true;
      } else start += size;
    }
    if (size === 1 && !hasShrunk) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return runner2.run(failed.seed, { allowed: idsOf(best), isTraced: true });
}
var idsOf = ({ deviations }) => new Set(deviations.map(({ id }) => id));

// tests/simulation/simulate.ts
var { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    only: { type: "string" },
    /** Continues after a violation, and prints only its kind. */
    survey: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    /** Plants a fault from the list first, by its name. */
    mutation: { type: "string" }
  }
});
var [count, from] = [Number(values.seeds), Number(values.from)];
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(from) || count < 1)
  throw new TypeError("--seeds and --from take whole numbers");
var mutation = mutations.find(({ name }) => name === values.mutation);
if (values.mutation !== void 0 && !mutation) throw new TypeError("no mutation has this name");
var runner = createRunner(await bundleProduct(mutation));
var counts = { signed: 0, charged: 0, delivered: 0 };
var kinds = /* @__PURE__ */ new Map();
for (let seed = from; seed < from + count; seed++) {
  const allowed = values.only === void 0 ? void 0 : new Set(values.only.split(",").filter(Boolean));
  const result = await runner.run(seed, { ...allowed && { allowed }, isTraced: values.trace });
  for (const name of ["signed", "charged", "delivered"]) counts[name] += result.counts[name];
  if (result.violation === null) {
    if (values.trace) print(result);
    continue;
  }
  process.exitCode = 1;
  const kind = kindOf(result.violation);
  kinds.set(kind, [...kinds.get(kind) ?? [], seed]);
  if (values.survey) continue;
  console.log(`seed ${seed}: ${result.violation}; looking for the shortest way there`);
  print(values.only === void 0 ? await shrink(runner, result) : await replay(result));
  break;
}
var { signed, charged, delivered } = counts;
var broken = [...kinds.values()].reduce((sum, seeds) => sum + seeds.length, 0);
for (const [kind, seeds] of kinds) console.log(`${seeds.length} times (${seeds.slice(0, 5)}): ${kind}`);
console.log(
  `seeds ${from} to ${from + count - 1}: ${broken} violations; ${signed} payments signed, ${charged} charged, ${delivered} delivered`
);
function replay(result) {
  return runner.run(result.seed, { allowed: idsOf(result), isTraced: true });
}
function print(result) {
  console.log(result.trace.join("\n"));
  for (const { id, kind } of result.deviations) console.log(`  ${id}: ${kind}`);
  console.log(
    `seed ${result.seed}: ${result.violation ?? "no violation"} (trace ${result.traceHash.toString(16)})`
  );
  const only = [...idsOf(result)].join(",");
  console.log(`again: npm run simulate -- --from ${result.seed} --only '${only}'`);
}
