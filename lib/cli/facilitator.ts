import { environment } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { loadFacilitatorConfig } from "../facilitator-config.ts";
import { endInOrder, exitOnStartupError } from "../services/process-end.ts";
import { readOptions } from "../services/read-options.ts";
import { serveFacilitator } from "./serve-facilitator.ts";

const USAGE = `Usage: npm run facilitator

Serves /verify, /settle, /health and /supported until SIGTERM or SIGINT. Settings come from the environment and .env: docs/operations.md has them.`;

try {
  readOptions(USAGE, {});
  readEnvFile();
  const config = loadFacilitatorConfig(environment());
  const serving = await serveFacilitator(config);
  let isEnding = false;
  endInOrder(async () => {
    isEnding = true;
    await serving.close();
  });
  await serving.storeAwaited;
  if (!isEnding)
    console.log(`Facilitator for ${config.network} on ${serving.url}: /verify /settle /health /supported`);
} catch (error) {
  exitOnStartupError(error);
}
