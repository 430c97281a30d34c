// Writes a copy of each built script and style beside it, compressed as well as brotli can. That takes too long
// while a reader waits.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";

const FOLDER = ".next/static";
const compress = promisify(brotliCompress);

const names = (await readdir(FOLDER, { recursive: true })).filter((name) => /\.(?:js|css)$/.test(name));
await Promise.all(
  names.map(async (name) => {
    const file = join(FOLDER, name);
    await writeFile(`${file}.br`, await compress(await readFile(file)));
  }),
);
