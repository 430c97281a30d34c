import type { Registry } from "prom-client";

type Series = { labels: Record<string, string>; counts: number[]; sum: number; count: number };

/**
 * A histogram of times in seconds with three labels, like `prom-client`'s, but with series that are found
 * label by label instead of by hashing all of them.
 */
export class Timings<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly labelNames: readonly [Label, Label, Label];
  readonly #buckets: readonly number[];
  readonly #series: Series[] = [];
  readonly #byLabels = new Map<string, Map<string, Map<string, Series>>>();

  constructor(options: {
    name: string;
    help: string;
    labelNames: readonly [Label, Label, Label];
    buckets: readonly number[];
    registers: readonly Registry[];
  }) {
    this.name = options.name;
    this.help = options.help;
    this.labelNames = options.labelNames;
    this.#buckets = options.buckets;
    // This class has everything that a registry needs of a metric.
    for (const registry of options.registers) registry.registerMetric(this as never);
  }

  /** Records a time; the values of the labels are in the order of their names. */
  observe(seconds: number, first: string, second: string, third: string): void {
    const series =
      this.#byLabels.get(first)?.get(second)?.get(third) ?? this.#createSeries(first, second, third);
    series.sum += seconds;
    series.count += 1;
    let bucket = 0;
    while (seconds > (this.#buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    if (bucket < this.#buckets.length) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  #createSeries(first: string, second: string, third: string): Series {
    const [firstName, secondName, thirdName] = this.labelNames;
    const labels = { [firstName]: first, [secondName]: second, [thirdName]: third };
    const series = { labels, counts: this.#buckets.map(() => 0), sum: 0, count: 0 };
    this.#series.push(series);
    const bySecond = this.#byLabels.get(first) ?? new Map<string, Map<string, Series>>();
    const byThird = bySecond.get(second) ?? new Map<string, Series>();
    this.#byLabels.set(first, bySecond.set(second, byThird.set(third, series)));
    return series;
  }

  /** Returns all values in the format of `prom-client`. */
  async get() {
    const { name, help, type } = this;
    const values = this.#series.flatMap(({ labels, counts, sum, count }) => {
      let below = 0;
      const buckets = this.#buckets.map((le, index) => {
        below += counts[index] ?? 0;
        return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { labels: { le: "+Inf", ...labels }, value: count, metricName: `${name}_bucket` },
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return { name, help, type, values, aggregator: "sum" as const };
  }
}
