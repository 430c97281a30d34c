import { gatewayAddress, payForArticle } from "./pay-for-article.ts";
import { startAgent } from "./start-agent.ts";

const tell = (line: string) => console.log(line);

const demos: Record<string, () => Promise<void>> = {
  async pay() {
    await payForArticle(gatewayAddress(), tell);
  },
  async agent() {
    const agent = await startAgent({
      baseUrl: gatewayAddress(),
      account: "carol",
      limits: { maxPayment: 0.1, budget: 0.2 },
      tell,
    });
    process.once("SIGINT", () => void agent.close());
    await agent.ended;
  },
};

try {
  await demos[process.argv[2] ?? ""]?.();
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  process.exitCode = 1;
}
