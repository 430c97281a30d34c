import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleCommand } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import {
  type AppManifest,
  commands,
  entries,
  libraryManifest,
  noRepository,
  publicAddress,
  repositoryOf,
} from "./manifest.ts";

const folder = "dist/hivegate";
const read = (path: string) => readFileSync(path, "utf8");

rmSync(folder, { recursive: true, force: true });
await bundle(entries, folder);
for (const [name, file] of Object.entries(commands)) {
  await bundleCommand(file, join(folder, `${name}.js`));
  chmodSync(join(folder, `${name}.js`), 0o755);
}
writeDeclarations(entries, folder);
const app = JSON.parse(read("package.json")) as AppManifest;
const address = publicAddress(repositoryOf(app, readOrigin()));
if (!address) console.warn(noRepository);
const manifest = libraryManifest(app, Object.keys(entries), address);
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync("lib/publish/README.md", join(folder, "README.md"));
const licences = `${read("LICENSE")}\nThis package holds zod (https://zod.dev):\n\n${read("node_modules/zod/LICENSE")}`;
writeFileSync(join(folder, "LICENSE"), licences);

function readOrigin(): string {
  try {
    return execFileSync("git", ["config", "--get", "remote.origin.url"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}
