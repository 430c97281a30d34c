import { environment } from "../config.ts";
import { startAgent } from "./start-agent.ts";

const baseUrl = environment().BASE_URL ?? `http://127.0.0.1:${environment().PORT ?? 3000}`;
try {
  const agent = await startAgent({
    baseUrl,
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
