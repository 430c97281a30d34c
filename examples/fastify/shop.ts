import Fastify from "fastify";
import { fastifyPaywall } from "hivegate/fastify";
import { sandbox } from "hivegate/sandbox";

const shop = "http://127.0.0.1:4000";

const app = Fastify();
app.get(
  "/report",
  {
    preHandler: fastifyPaywall({
      ...sandbox(),
      amount: "0.050 HBD",
      receivingAccount: "shop",
      description: "The weekly report",
      publicUrl: shop,
      dataDir: ".data",
    }),
  },
  async (request) => ({ report: "All is well.", payer: request.payer, txId: request.txId }),
);
await app.listen({ host: "127.0.0.1", port: Number(new URL(shop).port) });
console.log(`The shop is open: ${shop}/report`);
