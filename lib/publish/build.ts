import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceAddressOf } from "../source-address.ts";
import { bundle, bundleCommand } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
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
const licences = [
  read("LICENSE"),
  "This package holds @cfworker/json-schema (https://github.com/cfworker/cfworker) by Jeremy Danyow, under the same licence.\n",
  `This package holds zod (https://zod.dev):\n\n${read("node_modules/zod/LICENSE")}`,
  `This package holds icons of Lucide (https://lucide.dev):\n\n${read("node_modules/lucide-react/LICENSE")}`,
  `This package holds clsx (https://github.com/lukeed/clsx):\n\n${read("node_modules/clsx/license")}`,
  `This package holds uqr (https://github.com/unjs/uqr):\n\n${read("node_modules/uqr/LICENSE")}`,
  `react.css holds styles of Tailwind CSS (https://tailwindcss.com):\n\n${read("node_modules/tailwindcss/LICENSE")}`,
].join("\n");
writeFileSync(join(folder, "LICENSE"), licences);
console.log(describeBuild(app.version, source));
