import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { errorTable } from "../../../lib/errors.ts";
import { metrics } from "../../../lib/metrics.ts";
import { reasons } from "../../../lib/x402/facilitator/reasons.ts";

type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; next_step: string };
};
type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Array<{ expr: string; legendFormat: string }>;
};

const page = readFileSync("docs/operations.md", "utf8");
const { groups } = parse(readFileSync("deploy/alerts.yml", "utf8")) as { groups: Array<{ rules: Rule[] }> };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync("deploy/grafana.json", "utf8")) as { panels: Panel[] };
const charts = dashboard.panels.filter(({ type }) => type !== "row");
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...charts.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Every series that `/api/metrics` serves, with its labels. Prometheus adds `up` and each series' origin. */
const served = new Map<string, string[]>([["up", []]]);
for (const one of metrics().registry.getMetricsAsArray()) {
  const { name, type, labelNames = [] } = one as typeof one & { type: string; labelNames?: string[] };
  const parts = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  for (const part of parts) served.set(name + part, part === "_bucket" ? [...labelNames, "le"] : labelNames);
}
const addedByPrometheus = ["job", "instance"];

const codes = [...errorTable.map(({ code }) => code), "ok"];
/** The possible values of the labels that have documented values. */
const sayings: Record<string, readonly string[]> = {
  "hivegate_bootstraps_total outcome": codes,
  "hivegate_websocket_upgrades_total outcome": [...codes, "open", "gone"],
  "hivegate_mattermost_request_duration_seconds_count outcome": [...codes, "gone"],
  "hivegate_payment_answers_total outcome": [...codes, ...reasons],
  "hivegate_payment_answers_total call": ["verify", "settle"],
  "hivegate_payment_duration_seconds_bucket call": ["verify", "settle"],
  "hivegate_payment_events_total event": ["settled", "failed", "pending", "recovered", "resent", "undone"],
};

/** Returns the series of a query with their selectors. */
const seriesIn = (query: string) =>
  [...query.matchAll(/([a-z_]+[a-z\d_]*)\{([^}]*)\}/g)].map(([, name = "", inside = ""]) => ({
    name,
    selectors: [...inside.matchAll(/(\w+)(=~|!=|=|!~)"([^"]*)"/g)].map(
      ([, label = "", how = "", value = ""]) => ({
        label,
        how,
        value,
      }),
    ),
  }));

describe("alerts and dashboard", () => {
  test.each(queries)("%s queries series that exist: %s", (_, query) => {
    const series = seriesIn(query);
    expect(series.length).toBeGreaterThan(0);
    // No such name appears without a selector.
    expect((query.match(/\b(hivegate|process|nodejs)_\w+/g) ?? []).length).toBe(
      series.filter(({ name }) => name !== "up").length,
    );
    for (const { name, selectors } of series) {
      expect([...served.keys()], query).toContain(name);
      expect(selectors.map(({ label }) => label)).toContain("job");
      const known = [...(served.get(name) ?? []), ...addedByPrometheus];
      expect(selectors.filter(({ label }) => !known.includes(label))).toEqual([]);
    }
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/, */));
    const labels = [...series.flatMap(({ name }) => served.get(name) ?? []), ...addedByPrometheus];
    expect(grouped.filter((label) => !labels.includes(label))).toEqual([]);
  });

  test("select by every label with documented values", () => {
    const selected = queries.flatMap(([, query]) =>
      seriesIn(query).flatMap(({ name, selectors }) => selectors.map(({ label }) => `${name} ${label}`)),
    );
    expect(selected).toEqual(expect.arrayContaining(Object.keys(sayings)));
  });

  test.each(queries)("%s selects possible label values: %s", (_, query) => {
    for (const { name, selectors } of seriesIn(query))
      for (const { label, how, value } of selectors) {
        const said = sayings[`${name} ${label}`];
        if (!said) continue;
        const words = how.includes("~") ? value.split(/\|(?![^(]*\))/) : [value];
        for (const word of words)
          expect(
            said.some((one) => new RegExp(`^(?:${word})$`).test(one)),
            `${name}{${label}="${word}"}`,
          ).toBe(true);
      }
  });
});

describe("deploy/alerts.yml", () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s has a summary and a next step",
    (_, rule) => {
      expect(rule.alert).toMatch(/^Hivegate[A-Z]\w+$/);
      expect(["page", "ticket"]).toContain(rule.labels.severity);
      expect(rule.annotations.summary.length).toBeGreaterThan(20);
      expect(rule.annotations.next_step).toMatch(/^\S.{40,}\.$/);
      if (rule.for) expect(rule.for).toMatch(/^\d+m$/);
    },
  );

  test("alerts on the first occurrence, which creates the series", () => {
    const counting = rules.filter(({ expr }) => expr.includes("increase("));
    expect(counting.length).toBeGreaterThan(0);
    for (const { expr } of counting) {
      const increases = [...expr.matchAll(/increase\((.*?\})\[(\w+)\]\)/g)];
      expect(increases).toHaveLength(expr.split("increase(").length - 1);
      for (const [, series = "", range = ""] of increases)
        expect(expr).toContain(`(${series} unless ${series} offset ${range})`);
    }
  });

  test("gives each alert a unique name", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  test("refers to existing commands, routes and headings in next steps", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const text = rules.map(({ annotations }) => annotations.next_step).join("\n");
    const commands = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name);
    expect(commands.length).toBeGreaterThan(0);
    for (const name of commands) expect(scripts).toHaveProperty([name]);
    const headings = [...text.matchAll(/docs\/operations\.md, ([\w ]+)\./g)].map(
      ([, heading = ""]) => heading,
    );
    expect(headings.length).toBeGreaterThan(0);
    for (const heading of headings) expect(page).toMatch(new RegExp(`^#+ ${heading}$`, "m"));
  });
});

describe("deploy/grafana.json", () => {
  test("gives every panel an id, a title, data and its own place", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ title }) => !title)).toEqual([]);
    expect(charts.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  test("draws every series of the gateway", () => {
    const drawn = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
    const ours = [...served.keys()]
      .filter((name) => name.startsWith("hivegate_"))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ""));
    expect([...new Set(ours)].filter((name) => !drawn.includes(name))).toEqual([]);
  });
});
