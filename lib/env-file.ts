import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import leven from "leven";
import { ConfigError, completeEnvironment, environment } from "./config.ts";
import { Settings } from "./settings.ts";

const DEFAULT_FILE = ".env";
/** Of two names so close one is a slip of the other. */
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
  const taken = completeEnvironment(parseFile(file, !named)).filter((name) => ours.includes(name));
  if (taken.length > 0) console.log(`Settings from ${file}: ${taken.join(", ")}`);
  for (const name of Object.keys(environment())) {
    const meant = nearestOf(name);
    if (meant) console.warn(`${name} is no setting: is ${meant} meant?`);
  }
}

function parseFile(file: string, mayBeMissing: boolean): Record<string, string> {
  try {
    return parse(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeMissing && code === "ENOENT") return {};
    throw new ConfigError([{ setting: file, problem: `can't be read (${code})` }]);
  }
}

/** The setting that a name nearly is; none for a name of ours, and for short ones, which are near to too much. */
function nearestOf(name: string): string | undefined {
  if (ours.includes(name)) return undefined;
  return ours.find((one) => one.length > 3 * NEAR && leven(one, name, { maxDistance: NEAR + 1 }) <= NEAR);
}
