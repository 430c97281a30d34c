import { highlight } from "../_chat/message/highlight.ts";
import { CopyButton } from "../_ui/copy-button.tsx";
import { strings } from "./strings.en.ts";

/** Three pages that sell and a program that pays, in eight lines each; a test compiles them as they are. */
export const snippets = [
  {
    id: "next",
    name: "Next",
    file: "app/report/route.ts",
    code: `import { withPaywall } from "hivegate/next";
const price = { amount: "0.050 HBD", receivingAccount: "YOUR-ACCOUNT" };
const facilitatorUrl = "https://pay.example.com";

export const GET = withPaywall(
  { ...price, facilitatorUrl, dataDir: ".data" },
  (_request, { payer, txId }) => Response.json({ thanks: payer, txId }),
);`,
  },
  {
    id: "express",
    name: "Express",
    file: "shop.ts",
    code: `import express from "express";
import { paywall } from "hivegate/paywall";
const price = { amount: "0.050 HBD", receivingAccount: "YOUR-ACCOUNT" };
const facilitatorUrl = "https://pay.example.com";

const paid = paywall({ ...price, facilitatorUrl, dataDir: ".data" });
const app = express().get("/report", paid, (request, response) => response.json({ thanks: request.payer }));
app.listen(4000);`,
  },
  {
    id: "hono",
    name: "Hono",
    file: "shop.ts",
    code: `import { honoPaywall } from "hivegate/hono";
import { Hono } from "hono";
const price = { amount: "0.050 HBD", receivingAccount: "YOUR-ACCOUNT" };
const facilitatorUrl = "https://pay.example.com";

const paid = honoPaywall({ ...price, facilitatorUrl, dataDir: ".data" });
const app = new Hono().get("/report", paid, (c) => c.json({ thanks: c.get("payer") }));
export default app;`,
  },
  {
    id: "client",
    name: "Client",
    file: "buy.ts",
    code: `import { readFileSync } from "node:fs";
import { createPayingFetch } from "hivegate/client";

const activeKey = readFileSync("alice.key", "utf8").trim();
const budget = { perDay: "5.000 HBD", perHost: "1.000 HBD" };
const payingFetch = createPayingFetch({ account: "alice", activeKey, maxPayment: "0.100 HBD", budget });
const response = await payingFetch("https://shop.example.com/report");
console.log(await response.json());`,
  },
] as const;

/**
 * The class that shows the panel of each tab, written out because class names are found by scanning the
 * source.
 */
const shown: Record<(typeof snippets)[number]["id"], string> = {
  next: "group-has-[[value=next]:checked]:block",
  express: "group-has-[[value=express]:checked]:block",
  hono: "group-has-[[value=hono]:checked]:block",
  client: "group-has-[[value=client]:checked]:block",
};

/** The snippets, one at a time, under tabs that work without a script. */
export function CodeTabs() {
  return (
    <div className="group overflow-hidden rounded-2xl border border-line bg-surface">
      <fieldset className="flex gap-1 overflow-x-auto border-b border-line p-1.5">
        <legend className="sr-only">{strings.code.tabs}</legend>
        {snippets.map(({ id, name }) => (
          <label
            key={id}
            className="flex h-9 cursor-pointer items-center rounded-lg px-3 text-sm text-ink-soft hover:text-ink pointer-coarse:h-11 has-checked:bg-selected has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name="snippet"
              value={id}
              defaultChecked={id === "next"}
              className="sr-only"
            />
            {name}
          </label>
        ))}
      </fieldset>
      {snippets.map(({ id, file, code }) => (
        <div key={id} className={`relative hidden ${shown[id]}`}>
          <Sample code={code} language="ts" title={file} copy={strings.code.copy(file)} />
        </div>
      ))}
    </div>
  );
}

type SampleProps = { code: string; language: string; title: string; copy: string };

/** Highlighted code, without a script, under a title with a copy button. */
export function Sample({ code, language, title, copy }: SampleProps) {
  return (
    <>
      <p className="flex h-10 items-center pe-12 pointer-coarse:h-12 ps-4 font-mono text-xs text-ink-soft">
        {title}
      </p>
      <CopyButton text={code} label={copy} className="absolute top-0.5 end-1" />
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide code scrolls, also by keyboard
        tabIndex={0}
        dir="ltr"
        className="overflow-x-auto px-4 pb-4 font-mono text-sm wrap-normal focus-visible:outline-offset-[-2px]"
      >
        <code>
          {highlight(code, language).map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text have no other name and never move
            <span key={index} data-code={kind}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </>
  );
}
