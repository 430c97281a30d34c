import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import leven from "leven";
import { ConfigError, completeEnvironment, environment } from "./config.ts";
import { Settings } from "./settings.ts";

const DEFAULT_FILE = ".env";
/** Edit distance up to which a name counts as a typo of one of ours. */
const NEAR = 2;
const ours = Object.keys(Settings.shape);

/**
 * Reads `.env` of the working folder, or the file that ENV_FILE names, into the environment, where a variable that is
 * set already wins. Every command does so before anything else, and says which settings come from there, and which
 * names are nearly those of a setting.
 * @throws ConfigError for a file that can't be read.
 */
export function readEnvFile(): void {
  const named = environment().ENV_FILE;
  const file = named || DEFAULT_FILE;
  const written = parseFile(file, !named);
  const taken = completeEnvironment(written ?? {}).filter((name) => ours.includes(name));
  if (written)
    console.log(
      `Settings from ${file}: ${taken.join(", ") || "none, as no line there has a value of its own"}`,
    );
  for (const name of Object.keys(environment())) {
    const meant = nearestOf(name, written !== null && Object.hasOwn(written, name));
    if (meant) console.warn(`${name} is no setting: is ${meant} meant?`);
  }
}

/** Null where there is no file, and may be none. */
function parseFile(file: string, mayBeMissing: boolean): Record<string, string> | null {
  try {
    return parse(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeMissing && code === "ENOENT") return null;
    throw new ConfigError([{ setting: file, problem: `can't be read (${code})` }]);
  }
}

/**
 * The setting that a name nearly is: by a slip, by its case, or as the beginning of one. Other programs' variables are
 * near to short names, which are looked for among the lines of the file alone.
 */
function nearestOf(name: string, isInFile: boolean): string | undefined {
  if (ours.includes(name)) return undefined;
  const upper = name.toUpperCase();
  const slip = (one: string) => {
    const isShort = one.length <= 3 * NEAR;
    const most = isShort ? 1 + Number(isInFile) : NEAR;
    return (!isShort || isInFile) && leven(one, upper, { maxDistance: most + 1 }) <= most;
  };
  const begun = (one: string) => isInFile && upper.length > NEAR && one.startsWith(`${upper}_`);
  return ours.includes(upper) && isInFile ? upper : (ours.find(slip) ?? ours.find(begun));
}
