import { gatewayAddress } from "./pay-for-article.ts";
import { startAgent } from "./start-agent.ts";

try {
  const agent = await startAgent({
    baseUrl: gatewayAddress(),
    account: "carol",
    limits: { maxPayment: 0.1, budget: 0.2 },
    tell: (line) => console.log(line),
  });
  process.once("SIGINT", () => void agent.close());
  await agent.ended;
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  process.exitCode = 1;
}
