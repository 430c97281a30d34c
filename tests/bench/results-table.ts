import { inWords } from "./in-words.ts";
import type { Results } from "./results.ts";

const heading = ["row", "processor time, µs", "of base's", "rate, of base's", "p99, of base's"];

/** Writes the gateway's rows as a Markdown table: the medians of the rounds, with minimum and maximum. */
export function tableOf({ rows }: Results): string {
  const cells = rows
    .filter(({ subject }) => subject.startsWith("hivegate"))
    .map(({ what, subject, cpuUs, ratios }) => [
      subject === "hivegate" ? what : `${what}, ${subject.replace("hivegate ", "")}`,
      inWords(cpuUs),
      inWords(ratios.cpuUs),
      inWords(ratios.perSecond),
      ratios.p99Ms ? inWords(ratios.p99Ms) : "",
    ]);
  const lines = [heading, ...cells];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const write = (line: readonly string[]) =>
    `| ${widths.map((width, column) => (line[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [heading, rule, ...cells].map(write).join("\n");
}
