import { authOperations } from "./auth-operations.ts";
import { chatOperations } from "./chat-operations.ts";
import type { Operations } from "./operation.ts";
import { paymentOperations } from "./payment-operations.ts";

const serverOperations: Operations = {
  "/api/health/live": {
    get: {
      summary: "The process runs",
      description: "Asks nothing of anybody: for a supervisor.",
      auth: "none",
      answer: "Alive",
    },
  },
  "/api/health/ready": {
    get: {
      summary: "Backend, chain and store answer",
      description:
        "For a load balancer. `degraded` (200): the chain is away, and whoever is signed in can chat. `unavailable` and `draining` are 503.",
      auth: "none",
      answer: "Readiness",
      failureAnswers: { 503: "Readiness" },
    },
  },
  "/api/metrics": {
    get: {
      summary: "Metrics for Prometheus; needs METRICS_TOKEN",
      description: "The operator's own token, not a PAT. 404 where the operator set none.",
      auth: "metrics",
      answer: { mediaType: "text/plain" },
      failures: ["unauthorized", "not_found"],
    },
  },
  "/api/sandbox": {
    get: {
      summary: "Accounts of the sandbox with what they own now, and its addresses",
      description: "With all keys, which are public and worth nothing elsewhere. 404 on live settings.",
      auth: "none",
      answer: "Sandbox",
      failures: ["not_found"],
    },
  },
  "/api/openapi.json": {
    get: {
      summary: "This document",
      description: "OpenAPI 3.1, made from the schemas that check the requests.",
      auth: "none",
      answer: { mediaType: "application/json" },
    },
  },
};

/** Every operation by path template and method. */
export const operations: Operations = {
  ...chatOperations,
  ...authOperations,
  ...paymentOperations,
  ...serverOperations,
};

/** The groups of operations: the segment of their paths, what they are called, and what holds for all of them. */
export const tags = [
  {
    name: "chat",
    title: "Chat",
    description: "Channels, messages and people. Begin with `POST /api/chat/bootstrap`.",
  },
  { name: "auth", title: "Sign-in", description: "Proof of an account of the chain, by its posting key." },
  { name: "jwks.json", title: "Keys", description: "The keys of the tokens that sign-in gives." },
  { name: "x402", title: "Payments (x402)", description: "The facilitator, which any seller may use." },
  {
    name: "demo",
    title: "Articles and tips",
    description: "A shop behind the same paywall that sellers use.",
  },
  { name: "health", title: "Health", description: "For supervisors and load balancers." },
  { name: "metrics", title: "Metrics", description: "For Prometheus." },
  { name: "sandbox", title: "Sandbox", description: "Only where the server runs on its sandbox." },
  { name: "openapi.json", title: "This document", description: "For tools." },
] as const;
