import { environment } from "../config.ts";
import { payForArticle } from "./pay-for-article.ts";

const baseUrl = environment().BASE_URL ?? `http://127.0.0.1:${environment().PORT ?? 3000}`;
try {
  await payForArticle(baseUrl, (line) => console.log(line));
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  process.exitCode = 1;
}
