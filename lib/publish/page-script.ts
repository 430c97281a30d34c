import { build } from "esbuild";

/** The path of the payment page's built script. */
export const pageScriptFile = "lib/x402/paywall/payment-page-script.ts";

/** Builds the payment page's script, and returns the text of `pageScriptFile`. */
export async function pageScriptSource(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["lib/x402/paywall/page/main.ts"],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    minify: true,
    logLevel: "warning",
  });
  const [script] = outputFiles;
  return [
    "// Written by `npm run page`; a test compares it with the folder `page`.",
    "",
    "/** The script of the payment page, built; its hash stands in the page's policy. */",
    `export const paymentPageScript = ${JSON.stringify(script?.text)};`,
    "",
  ].join("\n");
}
