import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Colour, darkColours, lightColours } from "#lib/colours.ts";
import { paymentPage } from "#lib/x402/paywall/payment-page.ts";

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

test("only lib/colours.ts, the CSS written from it and the icon contain the product's colours", () => {
  const files = ["app", "lib", "sandbox"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:tsx?|mjs|css|svg)$/.test(path))
      .map((path) => join(folder, path)),
  );
  const colours = new Set([...Object.values(lightColours), ...Object.values(darkColours)]);
  const isCopying = (path: string) => {
    const text = readFileSync(path, "utf8").toLowerCase();
    return [...colours].some((colour) => text.includes(colour));
  };
  expect(files.filter(isCopying).sort()).toEqual(["app/colours.css", "app/icon.svg", "lib/colours.ts"]);
});

test("the icon has the accent colour and its ink, and no other colours", () => {
  const colours = readFileSync("app/icon.svg", "utf8").match(/#[\da-f]+/gi);
  expect(colours).toEqual([lightColours.accent, lightColours["accent-ink"]]);
});

const page = paymentPage(
  { x402Version: 1, error: "", accepts: [] },
  { nodes: ["https://node.example"], chainId: null },
);

test.each([
  ["the payment page", page.body],
  ["the style sheet", readFileSync("app/globals.css", "utf8") + readFileSync("app/colours.css", "utf8")],
])("%s declares all colours that its styles use, in both themes", (_, text) => {
  const [style = text] = /<style>.*<\/style>/s.exec(text) ?? [];
  const used = [...style.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = ""]) => name);
  expect(used.filter((name) => name in lightColours).length).toBeGreaterThan(5);
  for (const theme of [lightColours, darkColours])
    for (const name of used.filter((name): name is Colour => name in theme))
      expect(style.replaceAll(" ", "")).toContain(`--${name}:${theme[name]}`);
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

test.each([
  ["light", lightColours],
  ["dark", darkColours],
] as const)("all code colours are readable on their backgrounds in the %s theme", (_, theme) => {
  const inCode = (Object.keys(theme) as Colour[]).filter((name) => name.startsWith("code-"));
  expect(inCode.length).toBeGreaterThanOrEqual(5);
  for (const name of inCode)
    for (const ground of ["sunken", "surface"] as const)
      expect(contrastOf(theme[name], theme[ground]), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
});
