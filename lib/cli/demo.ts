import { join } from "node:path";
import { environment } from "../config.ts";
import { readOptions, refuse } from "../services/read-options.ts";
import { createSqliteStore } from "../store/sqlite-store.ts";
import { gatewayAddress, payForArticle } from "./pay-for-article.ts";
import { startAgent } from "./start-agent.ts";

const tell = (line: string) => console.log(line);

const USAGE = `Usage: npm run demo:pay, npm run demo:agent

Shows a payment step by step, or an agent that buys articles when it is asked in the chat and alice approves there, at a sandbox that runs: at BASE_URL, or else PORT on this machine.`;

const demos: Record<string, () => Promise<void>> = {
  async pay() {
    await payForArticle(gatewayAddress(), tell);
  },
  async agent() {
    const baseUrl = gatewayAddress();
    const { DATA_DIR = ".data" } = environment();
    const agent = await startAgent({
      ...{ baseUrl, account: "carol", owner: "alice" },
      store: createSqliteStore({ dataDir: join(DATA_DIR, "sandbox", "demo-agent") }),
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
