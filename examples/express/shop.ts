import express from "express";
import { paywall } from "hivegate/paywall";
import { sandbox } from "hivegate/sandbox";

const shop = "http://127.0.0.1:4000";

const app = express();
app.get(
  "/report",
  paywall({
    ...sandbox(),
    amount: "0.050 HBD",
    receivingAccount: "shop",
    description: "The weekly report",
    publicUrl: shop,
    dataDir: ".data",
  }),
  (request, response) => {
    response.json({ report: "All is well.", payer: request.payer, txId: request.txId });
  },
);
app.listen(Number(new URL(shop).port), "127.0.0.1", () => console.log(`The shop is open: ${shop}/report`));
