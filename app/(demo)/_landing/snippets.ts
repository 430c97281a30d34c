/** A page that sells, and a program that pays, in eight lines each; a test compiles them as they stand. */
export const snippets = [
  {
    id: "next",
    name: "Next",
    file: "app/report/route.ts",
    code: `import { withPaywall } from "hivegate/next";
const price = { amount: "0.050 HBD", receivingAccount: "shop" };
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
import { paywall } from "hivegate/express";
const price = { amount: "0.050 HBD", receivingAccount: "shop" };
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
const price = { amount: "0.050 HBD", receivingAccount: "shop" };
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
const budget = { perDay: 5, perHost: 1 };
const payingFetch = createPayingFetch({ account: "alice", activeKey, maxPayment: 0.1, budget });
const response = await payingFetch("https://shop.example.com/report");
console.log(await response.json());`,
  },
] as const;
