import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/**
 * Files with the accent colour: the primary action, the reader's mention, its count in the list, and the
 * logo.
 */
const bearers = [
  "(demo)/_chat/message/mention.tsx",
  "(demo)/_chat/search/search-panel.tsx",
  "(demo)/_chat/sidebar/channel-row.tsx",
  "(demo)/_ui/button.tsx",
  "(demo)/_ui/icon-button.tsx",
  "(demo)/_ui/logo.tsx",
];

test("only the listed parts of the pages use the accent colour", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(?:tsx?|css)$/.test(path),
  );
  const isBearer = (path: string) => /\baccent\b/.test(readFileSync(join("app", path), "utf8"));
  expect(files.filter((path) => path.endsWith("x") && isBearer(path)).sort()).toEqual(bearers);
  const rules = readFileSync("app/globals.css", "utf8").replace(/--(?:color-)?accent[\w-]*: [^;]+;/g, "");
  expect(rules).not.toMatch(/accent/);
});

test("the plain payment page has the product's colours in both themes", () => {
  const colours = (text: string) =>
    [...text.matchAll(/--([\w-]+): ?(#[0-9a-f]{6})\b/g)].map(([, ...pair]) => pair);
  const css = readFileSync("app/globals.css", "utf8");
  const [, light = "", dark = ""] = /:root \{([^}]+)\}.*?\.dark \{([^}]+)\}/s.exec(css) ?? [];
  const page = readFileSync("lib/x402/paywall/payment-page.ts", "utf8");
  const [, darkLine = "", lines = ""] = /darkColours =\s*"([^"]+)".*?:root\{([^}]+)\}/s.exec(page) ?? [];
  const own = colours(lines);
  expect(own.length).toBeGreaterThan(10);
  expect(own).toEqual(
    own.map(([name]) => [name, new Map(colours(light) as [string, string][]).get(name ?? "")]),
  );
  expect(colours(darkLine).length).toBeGreaterThan(10);
  const inDark = new Map([...own, ...colours(darkLine)] as [string, string][]);
  const productInDark = new Map([...colours(light), ...colours(dark)] as [string, string][]);
  for (const [name, colour] of inDark) expect([name, colour]).toEqual([name, productInDark.get(name)]);
});

test("the offline page and the browser's bar have the product's colours in both themes, and the manifest in light", () => {
  const css = readFileSync("app/globals.css", "utf8");
  const [, light = "", dark = ""] = /:root \{([^}]+)\}.*?\.dark \{([^}]+)\}/s.exec(css) ?? [];
  const valueIn = (theme: string, name: string) =>
    new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme)?.[1] ?? `no ${name}`;
  const coloursIn = (text: string | undefined) => text?.match(/#[0-9a-f]{6}\b/g);

  const offline = readFileSync("app/service-worker/offline-page.ts", "utf8");
  const names = ["canvas", "surface", "line", "ink", "ink-soft", "ring"];
  for (const [name, theme] of [
    ["light", light],
    ["dark", dark],
  ] as const) {
    const own = new RegExp(`const ${name} =\\s*"([^"]+)"`).exec(offline)?.[1];
    expect(coloursIn(own), name).toEqual(names.map((colour) => valueIn(theme, colour)));
  }
  const [, rest] = offline.split("function coloursOf");
  const [accent, ink, hover] = ["accent", "accent-ink", "accent-hover"].map((name) => valueIn(light, name));
  expect(coloursIn(rest)).toEqual([accent, ink, hover, accent, ink]);

  const canvases = [light, dark].map((theme) => valueIn(theme, "canvas"));
  expect(coloursIn(readFileSync("app/layout.tsx", "utf8"))).toEqual(canvases);
  expect(coloursIn(readFileSync("app/manifest.ts", "utf8"))).toEqual([canvases[0]]);
});

/** Returns the contrast of two colours, as WCAG measures it. */
function contrastOf(one: string, other: string): number {
  const lightness = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [darker = 0, lighter = 0] = [lightness(one), lightness(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

test("all code colours are readable on their backgrounds in both themes", () => {
  const css = readFileSync("app/globals.css", "utf8");
  const [, light = "", dark = ""] = /:root \{([^}]+)\}.*?\.dark \{([^}]+)\}/s.exec(css) ?? [];
  for (const theme of [light, dark]) {
    const colours = new Map(
      [...theme.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, a = "", b = ""]) => [a, b]),
    );
    const inCode = [...colours.keys()].filter((name) => name.startsWith("code-"));
    expect(inCode.length).toBeGreaterThanOrEqual(5);
    for (const name of inCode)
      for (const ground of ["sunken", "surface"])
        expect(
          contrastOf(colours.get(name) ?? "", colours.get(ground) ?? ""),
          `${name} on ${ground}`,
        ).toBeGreaterThanOrEqual(4.5);
  }
});
