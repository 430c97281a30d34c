import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import leven from "leven";
import { ConfigError, completeEnvironment, environment } from "./config.ts";
import { Settings } from "./settings.ts";

const DEFAULT_FILE = ".env";
/** Maximum edit distance of a name that counts as a typo of a setting. */
const NEAR = 2;
const ours = Object.keys(Settings.shape);

/**
 * Reads `.env` of the working folder, or the file that ENV_FILE names, into the environment; variables that
 * are already set win. Every command does this first, and reports which settings come from the file and which
 * names look like misspelled settings.
 * @throws ConfigError for a file that cannot be read
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

/** Returns null if the file does not exist and is optional. */
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
 * Returns the setting that a name resembles: one with a typo, in another case, or with a suffix. Short names
 * resemble other programs' variables, so they are matched only against lines of the file.
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
