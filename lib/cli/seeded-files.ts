import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse } from "dotenv";
import { z } from "zod";

const SECRET_BYTES = 32;
const OWNER_ALONE = 0o600;

const Admin = z.object({ server: z.string(), username: z.string(), password: z.string() });
/** The first admin of a Mattermost, whose password nobody but this file knows; `server` ends in `/api/v4`. */
export type Admin = z.infer<typeof Admin>;

/** The admin that an earlier run wrote down. @throws for a file that can't be read. */
export function readAdmin(file: string): Admin | null {
  const text = readIfThere(file);
  return text === null ? null : Admin.parse(JSON.parse(text));
}

/** Writes an admin with a password of 256 random bits down, before anybody has it; Mattermost 7 wants all classes in it. */
export function writeAdmin(file: string, server: string, username: string): Admin {
  const password = `${randomBytes(SECRET_BYTES).toString("base64url")}aA1!`;
  const admin = { server, username, password };
  replace(file, `${JSON.stringify(admin, null, 2)}\n`);
  return admin;
}

/** The settings in a file of `NAME=value` lines; none where there is no file. */
export function readSettingsFile(file: string): Record<string, string> {
  return parse(readIfThere(file) ?? "");
}

/** Sets these settings in the file and leaves its other lines as they are; what has no value yet, of those made up once, gets one. */
export function writeSettingsFile(file: string, values: Readonly<Record<string, string>>): void {
  const text = readIfThere(file) ?? "";
  const present = parse(text);
  const once = ["SESSION_SECRET", "METRICS_TOKEN"].filter((name) => !present[name]);
  const wanted = { ...values, ...Object.fromEntries(once.map((name) => [name, makeSecret()])) };
  const changed = Object.entries(wanted).filter(([name, value]) => present[name] !== value);
  const lines = text.split("\n").filter((line, index, { length }) => line !== "" || index < length - 1);
  for (const [name, value] of changed) {
    // When a name stands in several lines, the last one counts.
    const at = lines.findLastIndex((line) => line.startsWith(`${name}=`));
    lines.splice(at < 0 ? lines.length : at, at < 0 ? 0 : 1, `${name}=${value}`);
  }
  replace(file, `${lines.join("\n")}\n`);
}

const makeSecret = () => randomBytes(SECRET_BYTES).toString("hex");

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The whole new text or the old one, whatever happens meanwhile; readable by the owner alone. */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  // What stands there already could be open to others, or lead elsewhere.
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: OWNER_ALONE, flush: true, flag: "wx" });
  renameSync(draft, file);
}
