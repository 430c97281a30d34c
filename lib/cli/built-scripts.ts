import { build } from "esbuild";

/** The path of the payment page's built script. */
export const pageScriptFile = "lib/x402/paywall/payment-page-script.ts";
/** The path of the built first script of a chat page. */
export const openingScriptFile = "app/(demo)/chat/_opening/opening-script.ts";

/** Builds the payment page's script, and returns the text of `pageScriptFile`. */
export async function pageScriptSource(): Promise<string> {
  return [
    "// Written by `npm run page`; a test compares it with the folder `page`.",
    "",
    "/** The script of the payment page, built; its hash stands in the page's policy. */",
    `export const paymentPageScript = ${await builtText("lib/x402/paywall/page/main.ts")};`,
    "",
  ].join("\n");
}

/** Builds the first script of a chat page, and returns the text of `openingScriptFile`. */
export async function openingScriptSource(): Promise<string> {
  return [
    "// Written by `npm run opening`; a test compares it with this folder.",
    "",
    "/** The first script of a chat page, built from `main.ts`. */",
    `export const openingScript = ${await builtText("app/(demo)/chat/_opening/main.ts")};`,
    "",
  ].join("\n");
}

/** Builds a script for browsers, and returns its text as a string literal. */
async function builtText(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    minify: true,
    logLevel: "warning",
  });
  return JSON.stringify(outputFiles[0]?.text);
}
