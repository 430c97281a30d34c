import { environment } from "../config.ts";
import { loadFacilitatorConfig } from "../facilitator-config.ts";
import { log } from "../log.ts";
import { refuseStart } from "../refuse-start.ts";
import { serveFacilitator } from "./serve-facilitator.ts";

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
  refuseStart(error);
}
