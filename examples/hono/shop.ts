import { honoPaywall } from "hivegate/hono";
import { sandbox } from "hivegate/sandbox";
import { Hono } from "hono";

/** Serve the app with your platform's server: Workers, Bun and Deno only need `export default app`. */
const app = new Hono();
app.get(
  "/report",
  honoPaywall({
    ...sandbox(),
    amount: "0.050 HBD",
    receivingAccount: "shop",
  }),
  (c) => c.json({ report: "All is well.", payer: c.get("payer"), txId: c.get("txId") }),
);

export default app;
