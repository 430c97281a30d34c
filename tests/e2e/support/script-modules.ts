import { existsSync, readFileSync } from "node:fs";
import { AnyMap, eachMapping } from "@jridgewell/trace-mapping";

const MAPS = ".next/source-maps";
const STATIC = ".next/static";
const RUNTIME = "(the bundler's own code)";

/** Returns the path of a module in the checkout, or below `node_modules`. */
const shorten = (source: string) =>
  source.replace(/^turbopack:\/\/\/\[project\]\//, "").replace(/^.*node_modules\//, "");

/**
 * Returns the bytes of each module in a built script, from the source map that the build moved aside. `name`
 * is the script's path below `/_next/static`.
 */
function modulesOf(name: string): Map<string, number> {
  const text = readFileSync(`${STATIC}/${name}`, "utf8");
  const bytes = new Map<string, number>();
  const add = (module: string, length: number) => bytes.set(module, (bytes.get(module) ?? 0) + length);
  const file = `${MAPS}/${name}.map`;
  if (!existsSync(file)) return bytes.set(RUNTIME, text.length);
  const starts = [0];
  for (const line of text.split("\n")) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  let [module, from] = [RUNTIME, 0];
  eachMapping(new AnyMap(readFileSync(file, "utf8")), ({ generatedLine, generatedColumn, source }) => {
    const to = (starts[generatedLine - 1] ?? 0) + generatedColumn;
    add(module, to - from);
    from = to;
    if (source !== null) module = shorten(source);
  });
  add(module, text.length - from);
  return bytes;
}

/** Scripts by their path below `/_next/static`, with their bytes on the wire. */
export type Sent = ReadonlyMap<string, number>;

/** Lists the largest modules of scripts with their share of the bytes on the wire, in KB. */
export function listModules(sent: Sent, most = 60): string {
  const shares = new Map<string, number>();
  for (const [name, onWire] of sent) {
    const modules = modulesOf(name);
    const whole = [...modules.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const [module, bytes] of modules)
      shares.set(module, (shares.get(module) ?? 0) + (bytes / whole) * onWire);
  }
  return [...shares]
    .sort(([, first], [, second]) => second - first)
    .slice(0, most)
    .map(([module, bytes]) => `${(bytes / 1024).toFixed(2).padStart(8)}  ${module}`)
    .join("\n");
}
