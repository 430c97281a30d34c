// Moves the source maps of the built files to a folder that is not served: they say which module of a script
// weighs how much, and what line of the source a stack trace means.
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const SERVED = ".next/static";
const MOVED = ".next/source-maps";
const LINK = /\s*(?:\/\/|\/\*)# sourceMappingURL=([^\s*]+)(?:\s*\*\/)?\s*$/;

async function move(from, name) {
  const to = join(MOVED, name);
  await mkdir(dirname(to), { recursive: true });
  await rename(join(SERVED, from), to);
}

for (const name of await readdir(SERVED, { recursive: true })) {
  if (!/\.(?:js|css)$/.test(name)) continue;
  const file = join(SERVED, name);
  const text = await readFile(file, "utf8");
  const link = LINK.exec(text)?.[1];
  if (link === undefined) continue;
  await move(join(dirname(name), decodeURIComponent(link)), `${name}.map`);
  await writeFile(file, text.replace(LINK, ""));
}
// A map without a file belongs to one that the bundler merged into another.
for (const name of await readdir(SERVED, { recursive: true }))
  if (name.endsWith(".map")) await move(name, name);
