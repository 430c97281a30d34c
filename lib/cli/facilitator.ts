import { fileURLToPath } from "node:url";
import { environment } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { type FacilitatorConfig, loadFacilitatorConfig } from "../facilitator-config.ts";
import { endInOrder, exitOnStartupError } from "../services/process-end.ts";
import { readOptions } from "../services/read-options.ts";
import { joinLeader, leadWorkers, reportServing } from "../services/workers.ts";
import { serveFacilitator } from "./serve-facilitator.ts";

const USAGE = `Usage: npm run facilitator

Serves /verify, /settle, /health, /supported and /discovery until SIGTERM or SIGINT. Settings come from the environment and .env: docs/operations.md has them.`;

try {
  readOptions(USAGE, {});
  const isWorker = joinLeader();
  if (!isWorker) readEnvFile();
  const config = loadFacilitatorConfig(environment());
  const announce = (url: string) =>
    console.log(`Facilitator for ${config.network} on ${url}: /verify /settle /health /supported /discovery`);
  if (config.workers === 1 || isWorker) await serve(config, isWorker ? reportServing : announce);
  else
    await leadWorkers({
      count: config.workers,
      script: fileURLToPath(import.meta.url),
      ...{ host: config.host, port: config.port },
      environment: {},
      onServing: announce,
      close: async () => undefined,
    });
} catch (error) {
  exitOnStartupError(error);
}

async function serve(config: FacilitatorConfig, report: (url: string) => void): Promise<void> {
  const serving = await serveFacilitator(config);
  let isEnding = false;
  endInOrder(async () => {
    isEnding = true;
    await serving.close();
  });
  await serving.storeAwaited;
  if (!isEnding) report(serving.url);
}
