import { readOptions, refuse } from "../services/read-options.ts";
import { gatewayAddress, payForArticle } from "./pay-for-article.ts";
import { startAgent } from "./start-agent.ts";

const tell = (line: string) => console.log(line);

const USAGE = `Usage: npm run demo:pay, npm run demo:agent

Shows a payment step by step, or an agent that buys articles when it is asked in the chat, at a sandbox that runs: at BASE_URL, or else PORT on this machine.`;

const demos: Record<string, () => Promise<void>> = {
  async pay() {
    await payForArticle(gatewayAddress(), tell);
  },
  async agent() {
    const agent = await startAgent({
      baseUrl: gatewayAddress(),
      account: "carol",
      limits: { maxPayment: "0.100 HBD", budget: "0.200 HBD" },
      tell,
    });
    process.once("SIGINT", () => void agent.close());
    await agent.ended;
  },
};

const { positionals } = readOptions(USAGE, { allowPositionals: true });
const [name = ""] = positionals;
const demo = Object.hasOwn(demos, name) ? demos[name] : undefined;
if (!demo || positionals.length > 1) refuse("A demo is pay or agent");
try {
  await demo();
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  process.exitCode = 1;
}
