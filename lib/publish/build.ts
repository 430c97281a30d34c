import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceAddressOf } from "../source-address.ts";
import { bundle, bundleCommand } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { readLicences } from "./licences.ts";
import {
  type AppManifest,
  command,
  describeBuild,
  entries,
  libraryManifest,
  stylesheet,
} from "./manifest.ts";
import { writeStylesheet } from "./stylesheet.ts";

const folder = "dist/hivegate";
const read = (path: string) => readFileSync(path, "utf8");

rmSync(folder, { recursive: true, force: true });
const bundled = await bundle(entries, folder);
await writeStylesheet(
  bundled.filter((file) => file.startsWith("app/")),
  join(folder, stylesheet),
);
await bundleCommand(command.file, folder);
chmodSync(join(folder, `${command.name}.js`), 0o755);
writeDeclarations(entries, folder);
const app = JSON.parse(read("package.json")) as AppManifest;
const source = sourceAddressOf(".");
const manifest = libraryManifest(app, Object.keys(entries), source);
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync("lib/publish/README.md", join(folder, "README.md"));
writeFileSync(join(folder, "LICENSE"), readLicences());
console.log(describeBuild(app.version, source));
