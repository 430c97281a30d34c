import type { IncomingMessage, ServerResponse } from "node:http";
import * as main from "hivegate";
import { createPayingFetch, type PaymentError } from "hivegate/client";
import { createFacilitator, type FacilitatorOptions } from "hivegate/facilitator";
import { honoPaywall } from "hivegate/hono";
import { withPaywall } from "hivegate/next";
import { type ClaimStore, paywall } from "hivegate/paywall";
import { createClientScheme, createFacilitatorScheme, createServerScheme } from "hivegate/scheme";
import * as x402 from "hivegate/x402";
import * as client from "hivegate/x402/client";
import * as facilitator from "hivegate/x402/facilitator";
import * as hono from "hivegate/x402/hono";
import * as next from "hivegate/x402/next";
import * as connect from "hivegate/x402/paywall";
import * as scheme from "hivegate/x402/scheme";
import { x402Client } from "@x402/core/client";
import { x402ResourceServer } from "@x402/core/server";
import express from "express";
import { Hono } from "hono";

const price = { amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl: "https://facilitator.example" };
const wif = "5".padEnd(51, "J");

const text: string = x402.formatHBD(0.05);
const amount: number = x402.parseHBD(text);
const header: "x-payment" = x402.HEADER_PAYMENT;

express().get("/a", paywall(price), (request, response) => {
  const payer: string | undefined = request.payer;
  response.json({ payer, txId: request.txId });
});

new Hono().get("/a", honoPaywall(price), (c) => {
  const payer: string = c.get("payer");
  return c.json({ payer, txId: c.get("txId") });
});

export const GET = withPaywall<Request, { params: Promise<{ slug: string }> }>(
  { ...price, amount: (request) => (request.url.endsWith("pro") ? "1.000 HBD" : "0.001 HBD") },
  async (_request, { payer, txId, params }) => Response.json({ payer, txId, ...(await params) }),
);

const plain: (request: IncomingMessage, response: ServerResponse, next: () => void) => void = paywall(price);
const pay: typeof fetch = createPayingFetch({ account: "alice", activeKey: wif, budget: { perDay: 1 } });
const wallet = createPayingFetch({
  account: "alice",
  signTransaction: async (transaction) => ({ ...transaction, signatures: [] }),
});

declare const store: NonNullable<FacilitatorOptions["store"]>;
declare const error: PaymentError;
const claims: ClaimStore = store;
const code: string = error.code;

export const official = () => [
  new x402Client().register("hive:*", createClientScheme({ account: "alice", activeKey: wif })),
  new x402ResourceServer().register("hive:mainnet", createServerScheme()),
  createFacilitatorScheme(createFacilitator({ store })),
];

// @ts-expect-error a payer needs a key or a wallet
createPayingFetch({ account: "alice" });
// @ts-expect-error a price is text or a function
paywall({ ...price, amount: 0.05 });

export const all = { main, x402, client, facilitator, hono, next, connect, scheme };
export const used = { amount, header, plain, pay, wallet, claims, code };
