import { honoPaywall } from "hivegate/hono";
import { Hono } from "hono";

const gateway = "http://127.0.0.1:3000";

/** Serve it with what your platform has: `export default app` is all that Workers, Bun and Deno want. */
const app = new Hono();
app.get(
  "/report",
  honoPaywall({
    amount: "0.050 HBD",
    receivingAccount: "shop",
    facilitatorUrl: `${gateway}/api/x402`,
    network: "chain:sandbox",
  }),
  (c) => c.json({ report: "All is well.", payer: c.get("payer"), txId: c.get("txId") }),
);

export default app;
