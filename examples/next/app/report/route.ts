import { withPaywall } from "hivegate/next";

const gateway = process.env.GATEWAY_URL ?? "http://127.0.0.1:3000";

export const GET = withPaywall(
  {
    amount: "0.050 HBD",
    receivingAccount: "shop",
    description: "The weekly report",
    facilitatorUrl: `${gateway}/api/x402`,
    network: "chain:sandbox",
    dataDir: ".data",
  },
  (_request, { payer, txId }) => Response.json({ report: "All is well.", payer, txId }),
);
