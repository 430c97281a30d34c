import { withPaywall } from "hivegate/next";
import { sandbox } from "hivegate/sandbox";

export const GET = withPaywall(
  {
    ...sandbox(),
    amount: "0.050 HBD",
    receivingAccount: "shop",
    description: "The weekly report",
    dataDir: ".data",
  },
  (_request, { payer, txId }) => Response.json({ report: "All is well.", payer, txId }),
);
