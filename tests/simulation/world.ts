import { formatMils, type Mils, toMils } from "../../lib/mils.ts";
import { accounts } from "./accounts.ts";
import type { Wish } from "./asking-agent.ts";
import type { Chance, Stream } from "./chance.ts";
import type { Budget } from "./ledger-of-truth.ts";
import { dishonesties } from "./node-dishonesty.ts";
import type { Errand } from "./payer.ts";
import type { Terms } from "./roles.ts";
import type { Purchase } from "./sender.ts";
import type { NodeCharacter } from "./simulated-node.ts";

/** Until this time anything may go wrong; afterwards there are no new faults. */
export const CALM_AT_MS = 70_000;

export const SHOP_URL = "http://shop.sim";
export const FACILITATOR_URL = "http://pay.sim";

/** The page that an account buys once. */
export const OWNED_PATH = "/owned";
/** The page that an agent buys once its owner approves. */
const ASKED_PATH = "/asked";

/** The names of the agent's processes. */
export const AGENTS = ["agent1.sim", "agent2.sim"] as const;

/** The parameters of a run, before it starts. */
export type World = {
  nodes: NodeCharacter[];
  balances: Map<string, number>;
  finalAfter: number;
  /** The factors that multiply the probability of faults. */
  scales: { store: number; network: number; chain: number };
  crashOdds: number;
  facilitators: number;
  shops: number;
  /** True if facilitators run inside the shops' processes. */
  isEmbedded: boolean;
  terms: Terms;
  budget: Budget;
  errands: Errand[];
  /** True if the payer's spending and sent payments survive a crash. */
  isPurseKept: boolean;
  /** True if the payer's payments show their holder's secret. */
  hasHolder: boolean;
  /** True if the seller refunds payments. */
  hasRefunds: boolean;
  /** The purchases by wallets that send transfers; none in most runs. */
  purchases: Purchase[];
  /** True if the seller sends wrong transfers back. */
  hasReturns: boolean;
  /** The agent that asks its owner; null if there is none. */
  asking: Asking | null;
  clockSteps: Array<{ process: number; atMs: number; byMs: number }>;
};

/** An agent that asks its owner in the chat. */
export type Asking = {
  wishes: Wish[];
  budget: Budget;
  payUpToMils: Mils;
  chatScale: number;
  /** True if everything fails once more when the first questions end. */
  hasSecondStorm: boolean;
};

/** Draws a random world. */
export function createWorld(chance: Chance): World {
  const stream = chance.stream("world");
  const price = stream.pick(["0.050 HBD", "0.050 HBD", "1.000 HBD", "120.000 HBD"]);
  const mils = Math.round(Number.parseFloat(price) * 1000);
  const prices = { "/one": price, "/two": price, "/dear": formatMils(toMils(mils * 2)) };
  const nodes = createNodes(stream);
  const errands = [0, 1, 2].flatMap((index): Errand[] => {
    const isMade = index === 0 || stream.deviate({ "another errand": 0.3 }) !== null;
    const isDear = stream.deviate({ "a page over the limit": 0.15 }) !== null;
    const page = stream.pick(["/one", "/two"]);
    const url = SHOP_URL + (isDear ? "/dear" : page);
    const errand = {
      name: `errand${index}`,
      url,
      startAt: stream.between(0, 25_000),
      calls: 0,
    };
    return isMade ? [{ ...errand, isDone: false, outcome: "" }] : [];
  });
  const owners = createOwners(chance.stream("owners"));
  const habits = chance.stream("habits");
  const asking = createAsking(chance.stream("asking"), toMils(mils));
  const purchases = createPurchases(chance.stream("wallets"), prices);
  const isTight = stream.deviate({ "a tight budget": 0.3 });
  const most = mils * (isTight ? 1 + Math.floor(isTight.size * 2) : 12);
  const isForTheHost = stream.next() < 0.5;
  return {
    nodes,
    balances: new Map([
      [accounts.alice.name, stream.deviate({ "hardly any money": 0.1 }) ? mils * 2 : mils * 50],
      [accounts.carol.name, mils * 50],
      [accounts.shop.name, 0],
      [accounts.mallory.name, 0],
      ...(purchases.length > 0
        ? [accounts.erin, accounts.frank].map(({ name }) => [name, mils * 50] as const)
        : []),
    ]),
    finalAfter: stream.pick([1, 2, 3, 4, 8]),
    scales: {
      store: stream.pick([0, 0.5, 1, 3]),
      network: stream.pick([0, 0.3, 1, 2]),
      chain: stream.pick([0, 1, 3]),
    },
    crashOdds: stream.pick([0, 0, 0.002, 0.01]),
    facilitators: stream.pick([1, 2]),
    shops: stream.pick([1, 2]),
    isEmbedded: stream.deviate({ embedded: 0.25 }) !== null,
    terms: {
      nodes: nodes.map(({ host }) => `http://${host}`),
      prices: {
        ...prices,
        ...(owners.length > 0 && { [OWNED_PATH]: price }),
        ...(asking && { [ASKED_PATH]: price }),
      },
      rise: asking ? createRise(chance.stream("asking"), toMils(mils)) : null,
      ...stream.pick(finalities),
      binding: stream.pick(["require", "prefer"]),
      flow: chance.stream("flow").deviate({ "works before it settles": 0.35 }) ? "authorization" : "upfront",
      storeScale: 1,
      waitMs: stream.pick([8000, 8000, 3000]),
      pollMs: stream.pick([500, 1000, 1500]),
      recoverEveryMs: stream.pick([15_000, 40_000, 40_000]),
    },
    budget: {
      maxMils: mils,
      perDayMils: isForTheHost ? mils * 12 : most,
      perHostMils: isForTheHost ? most : mils * 12,
    },
    errands: [...errands, ...owners],
    isPurseKept: habits.deviate({ "keeps a purse": 0.5 }) !== null,
    hasHolder: habits.deviate({ "pays without a holder": 0.15 }) === null,
    hasRefunds: chance.stream("seller").deviate({ "refunds payments": 0.3 }) !== null,
    purchases,
    hasReturns: chance.stream("wallets").deviate({ "sends back": 0.7 }) !== null,
    asking,
    clockSteps: createClockSteps(stream),
  };
}

/**
 * Returns visits by one account, from several tabs, to the page that it buys once: two at about the same
 * time, and later ones.
 */
function createOwners(stream: Stream): Errand[] {
  if (!stream.deviate({ "a page that is bought once": 0.3 })) return [];
  const startAt = stream.between(0, 25_000);
  const startsAt = [startAt, startAt + stream.between(0, 6000), startAt + stream.between(20_000, 60_000)];
  return startsAt.map((startAt, index) => ({
    name: `owner${index}`,
    ...{ url: SHOP_URL + OWNED_PATH, startAt, calls: 0, isDone: false, outcome: "" },
  }));
}

/** Returns up to three purchases by wallets that send transfers. */
function createPurchases(stream: Stream, prices: Readonly<Record<"/one" | "/two", string>>): Purchase[] {
  if (!stream.deviate({ "wallets send transfers": 0.25 })) return [];
  return [0, 1, 2].flatMap((index): Purchase[] => {
    const isMade = index === 0 || stream.deviate({ "another wallet": 0.4 }) !== null;
    const path = stream.pick(["/one", "/two"] as const);
    const priceMils = Math.round(Number.parseFloat(prices[path]) * 1000);
    const purchase = { name: `wallet${index}`, url: SHOP_URL + path, priceMils };
    const startAt = stream.between(0, 30_000);
    return isMade ? [{ ...purchase, startAt, isDone: false }] : [];
  });
}

/** Returns an agent with one to three requests, some of them in both of its processes. */
function createAsking(stream: Stream, priceMils: Mils): Asking | null {
  if (!stream.deviate({ "an agent asks its owner": 0.3 })) return null;
  const wishes = [0, 1, 2].flatMap((index): Wish[] => {
    const isMade = index === 0 || stream.deviate({ "another wish": 0.35 }) !== null;
    const shared = stream.deviate({ "both processes have it": 0.3 });
    const [rootId, query] = [
      stream.pick(["thread1", "thread1", "thread2", ""]),
      stream.pick(["", "", "?of=1"]),
    ];
    const wish = {
      name: `wish${index}`,
      ...{
        rootId,
        url: SHOP_URL + ASKED_PATH + query,
        reason: `${query || "all"} in ${rootId || "a thread"}`,
      },
      startAt: stream.between(0, 25_000),
      process: stream.pick(AGENTS),
    };
    const begin = (given: typeof wish): Wish => ({ ...given, calls: 0, isDone: false, outcome: "" });
    const [other] = AGENTS.filter((name) => name !== wish.process);
    const again = shared && other && { process: other, startAt: wish.startAt + shared.size * 40_000 };
    return isMade ? [begin(wish), ...(again ? [begin({ ...wish, ...again })] : [])] : [];
  });
  const isTight = stream.deviate({ "a tight budget": 0.3 });
  return {
    wishes,
    budget: {
      maxMils: priceMils * 2,
      perDayMils: priceMils * (isTight ? 1 + Math.floor(isTight.size * 3) : 12),
      perHostMils: priceMils * 12,
    },
    payUpToMils: toMils(Math.floor(priceMils / 2)),
    chatScale: stream.pick([0.5, 1, 2]),
    hasSecondStorm: stream.deviate({ "a second storm": 0.2 }) !== null,
  };
}

function createRise(stream: Stream, priceMils: Mils): Terms["rise"] {
  const rise = stream.deviate({ "the price rises": 0.25 });
  if (!rise) return null;
  return { path: ASKED_PATH, atMs: 5000 + rise.size * 60_000, amount: formatMils(toMils(priceMils * 2)) };
}

/** The shop's required finality, and the facilitator's default. */
const finalities = [
  ...Array.from(
    { length: 5 },
    () => ({ shopFinality: "included", facilitatorFinality: "included" }) as const,
  ),
  { shopFinality: "irreversible", facilitatorFinality: "included" } as const,
  { shopFinality: "included", facilitatorFinality: "irreversible" } as const,
];

/** Returns one to four nodes, less than half of which are dishonest. */
function createNodes(stream: Stream): NodeCharacter[] {
  const count = stream.pick([1, 2, 3, 3, 3, 4]);
  let dishonestLeft = Math.floor((count - 1) / 2);
  return Array.from({ length: count }, (_, index) => {
    const slow = stream.deviate({ slow: 0.15 });
    const away = stream.deviate({ away: 0.2 });
    const awayFrom = away ? stream.between(-20_000, CALM_AT_MS) : 0;
    const isDishonest = stream.deviate({ dishonest: 0.25 }) !== null && dishonestLeft > 0;
    if (isDishonest) dishonestLeft--;
    const dishonesty = stream.pick(dishonesties);
    return {
      host: `node${index + 1}.sim`,
      lagMs: stream.between(0, 1200) + (slow?.size ?? 0) * 2500,
      delayMs: 30 + (slow?.size ?? 0) ** 2 * 4000,
      awayFrom,
      awayUntil: away ? Math.min(CALM_AT_MS, awayFrom + away.size * 60_000) : 0,
      dishonesty: isDishonest ? dishonesty : null,
    };
  });
}

const STEPS_MS = [1500, 60_000, 3_600_000, 8 * 86_400_000];

function createClockSteps(stream: Stream): World["clockSteps"] {
  return [0, 1, 2].flatMap((index) => {
    const step = stream.deviate({ "a clock steps": 0.12 });
    const given = { process: Math.floor(stream.between(0, 5)), atMs: stream.between(0, CALM_AT_MS) };
    const byMs = (STEPS_MS[Math.floor((step?.size ?? 0) * 4)] ?? 0) * (stream.next() < 0.5 ? -1 : 1);
    return step && index < 3 ? [{ ...given, byMs }] : [];
  });
}
