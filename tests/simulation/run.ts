import { accounts } from "./accounts.ts";
import { createApprovalTruth } from "./approval-truth.ts";
import { bootAgent } from "./asking-agent.ts";
import { createAudit } from "./audit.ts";
import { createChance, hash } from "./chance.ts";
import { startCopier } from "./copier.ts";
import { createSlot } from "./environment.ts";
import { createLedgerOfTruth, type Truth } from "./ledger-of-truth.ts";
import { createNetwork, type Question } from "./network.ts";
import { startOwner } from "./owner.ts";
import { bootPayer } from "./payer.ts";
import type { LoadProduct } from "./product.ts";
import { createRefundTruth } from "./refund-truth.ts";
import { bootReturner, createReturns } from "./returner.ts";
import { answerWith, bootFacilitator, bootShop, describe, type Face } from "./roles.ts";
import { createScheduler } from "./scheduler.ts";
import { startSenders } from "./sender.ts";
import { createSentLedger } from "./sent-truth.ts";
import { createSimulatedChain } from "./simulated-chain.ts";
import { createSimulatedChat } from "./simulated-chat.ts";
import { endContexts } from "./simulated-context.ts";
import { serveNode } from "./simulated-node.ts";
import { createSimulatedProcess, type SimulatedProcess, type Slot, type Stage } from "./simulated-process.ts";
import { createStoreServer, type StoreServer } from "./simulated-store.ts";
import { startStranger } from "./stranger.ts";
import { createThief, startBlockReader } from "./thief.ts";
import { bootTill, createRefundOrders } from "./till.ts";
import type { Birth } from "./watched-purse.ts";
import {
  AGENTS,
  type Asking,
  CALM_AT_MS,
  createWorld,
  FACILITATOR_URL,
  OWNED_PATH,
  SHOP_URL,
} from "./world.ts";

const EVENTS_MOST = 60_000;
/** By this time every errand and all its consequences have ended. */
const END_MS = 2_400_000;
/** The time of the second storm, in which the first questions end. */
const STORM_FROM_MS = 570_000;
const STORM_UNTIL_MS = 640_000;

/** The members of the chat, some with a name that is like the owner's. */
const PEOPLE = ["carol", "dave", "dave-2", "mallory", "not-dave"];

export type RunResult = {
  seed: number;
  /** The broken invariant in one sentence, or null. */
  violation: string | null;
  deviations: ReadonlyArray<{ id: string; kind: string }>;
  /** Hash over every line of the trace. */
  traceHash: number;
  trace: readonly string[];
  events: number;
  /** Number of payments that were signed, charged, delivered and refunded. */
  counts: { signed: number; charged: number; delivered: number; refunded: number };
  outcomes: readonly string[];
};

/** Runs seeds one after the other in the processes whose code `load` returns. */
export type Runner = {
  run(seed: number, options?: { allowed?: ReadonlySet<string>; isTraced?: boolean }): Promise<RunResult>;
};

/** Creates a runner, with the payment code loaded once for each process of a run. */
export function createRunner(load: LoadProduct): Runner {
  const slots: Record<string, Slot> = {};
  const servers = [
    "fac1.sim",
    "fac2.sim",
    "shop1.sim",
    "shop2.sim",
    "till1.sim",
    "till2.sim",
    "returner.sim",
  ];
  for (const name of ["payer", ...servers, ...AGENTS]) slots[name] = createSlot(load);
  return {
    async run(seed, { allowed, isTraced = false } = {}) {
      const trace: string[] = [];
      let traceHash = 0;
      let violation: string | null = null;
      const scheduler = createScheduler(EVENTS_MOST);
      const chance = createChance(seed, allowed ?? null);
      const world = createWorld(chance);
      const stage: Stage = {
        chance,
        scheduler,
        network: createNetwork(() => stage, world.scales.network),
        note(text) {
          const line = `${(scheduler.now() / 1000).toFixed(3).padStart(9)}  ${text}`;
          traceHash = hash(line, traceHash);
          if (isTraced) trace.push(line);
        },
        violate(what) {
          violation ??= what;
          stage.note(`VIOLATION ${what}`);
        },
      };
      const onRejection = (error: unknown) => stage.violate(`unhandled rejection: ${describe(error)}`);
      process.on("unhandledRejection", onRejection);
      const finish = await play(stage, slots, world, () => violation !== null).catch((error: unknown) => {
        stage.violate(describe(error));
        return null;
      });
      process.off("unhandledRejection", onRejection);
      endContexts();
      return {
        ...{ seed, violation, traceHash, trace, deviations: chance.deviations, events: scheduler.eventCount },
        counts: finish?.() ?? { signed: 0, charged: 0, delivered: 0, refunded: 0 },
        outcomes: [...world.errands, ...(world.asking?.wishes ?? [])].map(({ outcome }) => outcome),
      };
    },
  };
}

async function play(
  stage: Stage,
  slots: Record<string, Slot>,
  world: ReturnType<typeof createWorld>,
  isBroken: () => boolean,
) {
  const { scheduler, network, chance } = stage;
  const { scales, terms, budget, errands, asking, purchases, hasReturns } = world;
  const wishes = asking?.wishes ?? [];
  const chain = createSimulatedChain(stage, { ...world, scale: scales.chain });
  for (const character of world.nodes) serveNode(stage, chain, character);
  chain.start();
  const payments = createStoreServer("payments");
  const claims: StoreServer = createStoreServer("claims", (value, key) => sent?.stored(value, key));
  const sent =
    purchases.length > 0 ? createSentLedger(stage, chain, { claims, seller: accounts.shop.name }) : null;
  const { isPurseKept, hasHolder } = world;
  const births = new Map<string, Birth>();
  const truth = createLedgerOfTruth(stage, chain, {
    ...{ claims, flow: terms.flow },
    budgetOf: (account) => (asking && account === accounts.carol.name ? asking.budget : budget),
    keepsPurse: (account) => isPurseKept || account === accounts.carol.name,
    requestsFor: (url) => [...errands, ...wishes].filter((errand) => errand.url === url).length,
  });
  const refunds = createRefundTruth(stage, chain, { ...truth, seller: accounts.shop.name });
  const purse = isPurseKept ? { server: createStoreServer("purse"), scale: scales.store } : null;
  const processes: SimulatedProcess[] = [];

  const create = (
    name: string,
    boot: (process: SimulatedProcess, slot: Slot) => Face | null,
    onAsk?: (question: Question) => void,
  ) => {
    let face: Face | null = null;
    const slot = slots[name];
    const process: SimulatedProcess = createSimulatedProcess(stage, {
      name,
      odds: slot ? world.crashOdds : 0,
      onAsk,
      boot: () => {
        face = slot ? boot(process, slot) : null;
      },
    });
    slot?.occupy(process);
    network.serve(name, {
      heedsCallers: true,
      isUp: () => process.isAlive,
      answer: (question) => answerWith(face, process, question),
    });
    processes.push(process);
    return process;
  };
  const role = (slot: Slot) => ({ stage, slot, truth, sent, terms: { ...terms, storeScale: scales.store } });
  const refundsOf = (slot: Slot, process: SimulatedProcess) =>
    sent && hasReturns ? createReturns(role(slot), process, claims) : null;

  const facilitators = ["fac1.sim", "fac2.sim"].slice(0, world.facilitators);
  if (!world.isEmbedded)
    for (const name of facilitators)
      create(name, (process, slot) => bootFacilitator(role(slot), process, payments).face);
  const shops = ["shop1.sim", "shop2.sim"].slice(0, world.shops);
  for (const name of shops)
    create(
      name,
      (process, slot) => {
        const refunds = refundsOf(slot, process);
        if (!world.isEmbedded)
          return bootShop(role(slot), process, {
            server: claims,
            facilitator: { facilitatorUrl: FACILITATOR_URL },
            refunds,
          });
        const { face, embedded } = bootFacilitator(role(slot), process, payments);
        const shop = bootShop(role(slot), process, {
          server: claims,
          facilitator: { facilitator: embedded },
          refunds,
        });
        return (request, body) => (/\/(settle|verify)$/.test(request.url) ? face : shop)(request, body);
      },
      sent?.asked,
    );
  const balancer = chance.stream("balancer");
  network.balance("shop.sim", () => balancer.pick(shops));
  network.balance("pay.sim", () => balancer.pick(world.isEmbedded ? shops : facilitators));

  const outsider = create("outsider", () => null);
  const addresses = { shopUrl: SHOP_URL, facilitatorUrl: FACILITATOR_URL, nodes: terms.nodes };
  const isBound = ({ transfer: { ids } }: Truth) =>
    claims.entries.has(`x402:claim:${ids.legacy}`) &&
    payments.entries.get(`x402:payment:${ids.legacy}`)?.value.includes('"owner":') === true;
  const steal = createThief(stage, outsider, { ...addresses, isBound, paths: Object.keys(terms.prices) });
  startCopier(stage, outsider, { ...truth, hosts: shops, paths: Object.keys(terms.prices) });
  startBlockReader(stage, outsider, { ...truth, hosts: world.isEmbedded ? shops : facilitators });
  const areErrandsDone = () => [...errands, ...wishes].every(({ isDone }) => isDone);
  const audit = createAudit(stage, outsider, truth, {
    facilitatorUrl: FACILITATOR_URL,
    calmAtMs: CALM_AT_MS,
    isQuiet: areErrandsDone,
    areOffersShort: world.clockSteps.some(({ byMs }) => byMs > 0),
  });
  const { orders, order } = createRefundOrders(stage);
  const areRefundsDone = () => orders.every(({ isDone }) => isDone) && refunds.areAllDone();
  create("payer", (process, slot) => {
    const payer = { stage, slot, truth, nodes: terms.nodes, budget, purse, births, hasHolder };
    bootPayer(payer, process, errands, (payment) => {
      steal(payment);
      audit.watch(payment);
      if (world.hasRefunds) order(payment);
    });
    return null;
  });
  if (world.hasRefunds)
    for (const name of ["till1.sim", "till2.sim"])
      create(
        name,
        (process, slot) => {
          bootTill({ ...role(slot), ledger: truth, truth: refunds, orders }, process);
          return null;
        },
        refunds.asked,
      );
  if (sent && hasReturns)
    create(
      "returner.sim",
      (process, slot) => {
        bootReturner(role(slot), process, claims);
        return null;
      },
      sent.asked,
    );
  if (sent)
    startSenders(stage, outsider, chain, {
      ...{ purchases, ledger: sent, nodes: terms.nodes, calmAtMs: CALM_AT_MS, hasReturns },
    });
  const startAsking = (given: Asking) => {
    const agent = accounts.carol.name;
    const chat = createSimulatedChat(stage, PEOPLE, given.chatScale);
    const agents: SimulatedProcess[] = [];
    const approvals = createApprovalTruth(stage, {
      ...{ agent, chat, ledger: truth, calmAtMs: CALM_AT_MS },
      ...{ payUpToMils: given.payUpToMils, perDayMils: given.budget.perDayMils },
      processes: () => agents,
    });
    startOwner(stage, chat, approvals, agent);
    startStranger(stage, chat, agent);
    const agentBirths = new Map<string, Birth>();
    for (const name of AGENTS)
      agents.push(
        create(name, (process, slot) => {
          const role = { stage, slot, ledger: truth, truth: approvals, chat, asking: given };
          const parts = { nodes: terms.nodes, storeScale: scales.store, births: agentBirths };
          bootAgent({ ...role, ...parts }, process, (payment) => {
            steal(payment);
            audit.watch(payment);
          });
          return null;
        }),
      );
    return { chat, truth: approvals };
  };
  const approvals = asking && startAsking(asking);
  chance.setWildness(0);
  for (const process of processes) process.start();
  scheduler.after(0, () => chance.setWildness(1));
  for (const { process, atMs, byMs } of world.clockSteps)
    scheduler.after(atMs, () => processes[process]?.stepClock(byMs));
  const stores = [
    ...[payments, claims, refunds.store],
    ...(purse ? [purse.server] : []),
    ...(approvals ? [approvals.truth.store] : []),
  ];
  const calmDown = () => {
    chance.setWildness(0);
    for (const store of stores) store.downUntil = 0;
    approvals?.chat.reconnect();
    stage.note("calm");
  };

  scheduler.after(CALM_AT_MS, calmDown);
  if (asking?.hasSecondStorm) {
    scheduler.after(STORM_FROM_MS, () => chance.setWildness(1));
    scheduler.after(STORM_UNTIL_MS, calmDown);
  }

  const arePurchasesDone = () => purchases.every(({ isDone }) => isDone);
  const isOver = () => areErrandsDone() && audit.isDone() && areRefundsDone() && arePurchasesDone();
  await scheduler.run(END_MS, () => isBroken() || isOver());
  if (!isBroken()) truth.checkPurchases(SHOP_URL + OWNED_PATH);
  if (!isBroken() && !areErrandsDone()) stage.violate("an errand does not end");
  if (!isBroken() && !audit.isDone()) stage.violate("the audit does not end");
  if (!isBroken() && !areRefundsDone()) stage.violate("a refund does not end");
  if (!isBroken() && !arePurchasesDone()) stage.violate("a purchase by a wallet does not end");
  if (!isBroken()) refunds.check();
  if (!isBroken()) sent?.check();
  if (!isBroken()) approvals?.truth.check();
  return () => ({
    signed: truth.truths.size,
    charged: [...truth.truths.values()].filter(truth.isCharged).length,
    delivered: [...truth.truths.values()].filter(({ deliveries }) => deliveries > 0).length,
    refunded: [...truth.truths.values()].filter(refunds.isOnChain).length,
  });
}
