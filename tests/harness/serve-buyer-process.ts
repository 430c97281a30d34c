import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import { createPayingFetch } from "../../lib/x402/client/index.ts";
import type { BuyerProcessOptions } from "./start-paying-process.ts";

/** The child of `startBuyerProcess`. Its first argument contains its options as JSON. */
const { url, dataDir, reads, ...purse } = JSON.parse(process.argv[2] ?? "{}") as BuyerProcessOptions;

const store = createSqliteStore({ dataDir });
const payingFetch = createPayingFetch({ ...purse, budget: { store } });
const response = await payingFetch(url);
process.send?.({ status: response.status });
if (reads) process.send?.({ text: await response.text() });
// Runs until it is killed.
setInterval(() => {}, 1000);
