import Fastify from "fastify";
import { fastifyPaywall } from "hivegate/fastify";

const gateway = "http://127.0.0.1:3000";
const shop = "http://127.0.0.1:4000";

const app = Fastify();
app.get(
  "/report",
  {
    preHandler: fastifyPaywall({
      amount: "0.050 HBD",
      receivingAccount: "shop",
      description: "The weekly report",
      facilitatorUrl: `${gateway}/api/x402`,
      network: "chain:sandbox",
      publicUrl: shop,
      dataDir: ".data",
    }),
  },
  async (request) => ({ report: "All is well.", payer: request.payer, txId: request.txId }),
);
await app.listen({ host: "127.0.0.1", port: Number(new URL(shop).port) });
console.log(`The shop is open: ${shop}/report`);
