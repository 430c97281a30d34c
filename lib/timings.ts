import type { Registry } from "prom-client";

type Series = { labels: Record<string, string>; counts: number[]; sum: number; count: number };

/**
 * A histogram of times in seconds, like `prom-client`'s, but with series that are found by one key instead of
 * by hashing.
 */
export class Timings<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly labelNames: readonly Label[];
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(options: {
    name: string;
    help: string;
    labelNames: readonly Label[];
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
  observe(seconds: number, ...values: string[]): void {
    const key = values.join(" ");
    let series = this.#series.get(key);
    if (!series) {
      const labels = Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? ""]));
      series = { labels, counts: this.#buckets.map(() => 0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    series.sum += seconds;
    series.count += 1;
    let bucket = 0;
    while (seconds > (this.#buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    if (bucket < this.#buckets.length) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  /** Returns all values in the format of `prom-client`. */
  async get() {
    const { name, help, type } = this;
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum, count }) => {
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
