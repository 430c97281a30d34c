import { ConfigError, environment } from "../config.ts";
import { loadFacilitatorConfig } from "../facilitator-config.ts";
import { log } from "../log.ts";
import { serveFacilitator } from "./serve-facilitator.ts";

const WRONG_SETTINGS = 78;
const LAST_ANSWERS_MS = 15_000;

try {
  const config = loadFacilitatorConfig(environment());
  log(config.logLevel);
  const serving = await serveFacilitator(config);
  console.log(`Facilitator for ${config.network} on ${serving.url}: /verify /settle /health /supported`);
  const stop = () => {
    setTimeout(() => process.exit(1), LAST_ANSWERS_MS).unref();
    void serving.close().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(WRONG_SETTINGS);
}
