import { inWords } from "./in-words.ts";
import type { Results, Row } from "./results.ts";
import type { Spread } from "./spread.ts";

/** Fewer rounds do not show how much rounds differ. */
export const LEAST_ROUNDS = 3;

/** The share by which two quiet runs of the same code may differ, although the rounds of each agree. */
const DRIFT = 0.05;

const measures = [
  { ratio: "cpuUs", name: "processor time", isLessBetter: true },
  { ratio: "perSecond", name: "rate", isLessBetter: false },
  { ratio: "p99Ms", name: "99th percentile", isLessBetter: true },
] as const;

/** One ratio of the gateway to its base, in an earlier run and now, as multiples and in words. */
export type Change = {
  what: string;
  subject: string;
  measure: (typeof measures)[number]["name"];
  before: string;
  now: string;
  verdict: "worse" | "better" | "within the noise";
};

/**
 * Compares each ratio of the gateway that both runs measured. A ratio got worse if each of its rounds now is
 * worse than each round before, and the medians differ by more than a twentieth.
 * @throws TypeError if a run has too few rounds to show its noise
 */
export function compareResults(earlier: Results, now: Results): Change[] {
  if (Math.min(earlier.run.rounds, now.run.rounds) < LEAST_ROUNDS)
    throw new TypeError(`a comparison takes results of at least ${LEAST_ROUNDS} rounds`);
  return now.rows.flatMap((row) => {
    const before = earlier.rows.find(({ what, subject }) => what === row.what && subject === row.subject);
    return before && isOfGateway(row) ? changesOf(before, row) : [];
  });
}

/** Names the circumstances in which two runs differ, apart from their code. */
export function findDifferences(earlier: Results, now: Results): string[] {
  const circumstances = ({ run: { machine, tools }, load }: Results) => ({
    cores: machine.cores,
    CPU: machine.cpu,
    Node: machine.node,
    load: tools.load,
    backend: tools.backend,
    "pinned to cores": tools.isPinned,
    "quiet machine": load.isQuiet,
  });
  const before = new Map<string, unknown>(Object.entries(circumstances(earlier)));
  return Object.entries(circumstances(now)).flatMap(([name, value]) =>
    before.get(name) === value ? [] : [`${name}: ${before.get(name)} before, ${value} now`],
  );
}

/** Names the gateway's rows that only one of the runs has. */
export function findUnpaired(earlier: Results, now: Results): string[] {
  const namesIn = ({ rows }: Results) => rows.filter(isOfGateway).map(nameOf);
  const [before, after] = [namesIn(earlier), namesIn(now)];
  return [
    ...before.filter((name) => !after.includes(name)).map((name) => `${name}: measured before only`),
    ...after.filter((name) => !before.includes(name)).map((name) => `${name}: measured now only`),
  ];
}

const isOfGateway = ({ subject }: Row) => subject.startsWith("hivegate");
const nameOf = ({ what, subject }: Row) => `${what}, ${subject}`;

function changesOf(earlier: Row, now: Row): Change[] {
  return measures.flatMap(({ ratio, name, isLessBetter }) => {
    const [before, after] = [earlier.ratios[ratio], now.ratios[ratio]];
    if (!before || !after) return [];
    const verdict = judge(isLessBetter ? [before, after] : [after, before]);
    return [
      {
        ...{ what: now.what, subject: now.subject, measure: name },
        ...{ before: inWords(before), now: inWords(after), verdict },
      },
    ];
  });
}

/** Judges a growth from `less` to `more`, of which the smaller is the better. */
function judge([less, more]: [less: Spread, more: Spread]): Change["verdict"] {
  if (more.min > less.max && more.median > less.median * (1 + DRIFT)) return "worse";
  if (more.max < less.min && more.median * (1 + DRIFT) < less.median) return "better";
  return "within the noise";
}
