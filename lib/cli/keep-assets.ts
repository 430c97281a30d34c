import { resolve } from "node:path";
import { keepEarlierAssets } from "../services/earlier-assets.ts";
import { readOptions } from "../services/read-options.ts";

const USAGE = `Usage: node dist/keep-assets.js RELEASE SERVED

Before the server of a container starts: copies the pages' files of this release from RELEASE to SERVED, which is on a volume, and leaves those of earlier releases there for two weeks, for pages that are still open.`;

const { positionals } = readOptions(USAGE, { allowPositionals: true });
const [release, served] = positionals;
if (release === undefined || served === undefined) {
  console.error(USAGE);
  process.exit(2);
}
await keepEarlierAssets({ release: resolve(release), served: resolve(served) });
