import { resolve } from "node:path";
import { keepEarlierAssets } from "../services/earlier-assets.ts";
import { readOptions } from "../services/read-options.ts";

const USAGE = `Usage: node dist/keep-assets.js RELEASE SERVED

Runs before the server of a container. Copies the pages' files of this release from RELEASE to SERVED, which is on a volume, and keeps those of earlier releases there for two weeks, for pages that are still open.`;

const { positionals } = readOptions(USAGE, { allowPositionals: true });
const [release, served] = positionals;
if (release === undefined || served === undefined) {
  console.error(USAGE);
  process.exit(2);
}
try {
  await keepEarlierAssets({ release: resolve(release), served: resolve(served) });
} catch (error) {
  console.error(`The pages' files could not be copied to ${served}: ${(error as Error).message}`);
  console.error("The volume needs free space, and a folder that belongs to the container's user.");
  process.exit(1);
}
