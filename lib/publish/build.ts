import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceAddressOf } from "../source-address.ts";
import { bundle, bundleCommand } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { type AppManifest, command, describeBuild, entries, libraryManifest } from "./manifest.ts";

const folder = "dist/hivegate";
const read = (path: string) => readFileSync(path, "utf8");

rmSync(folder, { recursive: true, force: true });
await bundle(entries, folder);
await bundleCommand(command.file, folder);
chmodSync(join(folder, `${command.name}.js`), 0o755);
writeDeclarations(entries, folder);
const app = JSON.parse(read("package.json")) as AppManifest;
const source = sourceAddressOf(".");
const manifest = libraryManifest(app, Object.keys(entries), source);
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync("lib/publish/README.md", join(folder, "README.md"));
const licences = [
  read("LICENSE"),
  "This package holds @cfworker/json-schema (https://github.com/cfworker/cfworker) by Jeremy Danyow, under the same licence.\n",
  `This package holds zod (https://zod.dev):\n\n${read("node_modules/zod/LICENSE")}`,
].join("\n");
writeFileSync(join(folder, "LICENSE"), licences);
console.log(describeBuild(app.version, source));
