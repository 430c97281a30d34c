import { gatewayAddress, payForArticle } from "./pay-for-article.ts";

try {
  await payForArticle(gatewayAddress(), (line) => console.log(line));
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  process.exitCode = 1;
}
