import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse } from "dotenv";
import { z } from "zod";

const SECRET_BYTES = 32;
const OWNER_ALONE = 0o600;

const Admin = z.object({ server: z.string(), username: z.string(), password: z.string() });
/** The first admin of a Mattermost. Only this file contains the password; `server` ends in `/api/v4`. */
export type Admin = z.infer<typeof Admin>;

/** Reads the admin that an earlier run stored, or returns null. @throws for a file that cannot be read */
export function readAdmin(file: string): Admin | null {
  const text = readIfThere(file);
  return text === null ? null : Admin.parse(JSON.parse(text));
}

/**
 * Stores an admin with a password of 256 random bits before the account is created; Mattermost 7 requires all classes
 * of characters.
 */
export function writeAdmin(file: string, server: string, username: string): Admin {
  const password = `${randomBytes(SECRET_BYTES).toString("base64url")}aA1!`;
  const admin = { server, username, password };
  replace(file, `${JSON.stringify(admin, null, 2)}\n`);
  return admin;
}

/** Reads the settings in a file of `NAME=value` lines; returns none if there is no file. */
export function readSettingsFile(file: string): Record<string, string> {
  return parse(readIfThere(file) ?? "");
}

/**
 * Writes these settings to the file and leaves its other lines unchanged. Generates a value for each secret
 * that has none.
 */
export function writeSettingsFile(file: string, values: Readonly<Record<string, string>>): void {
  const text = readIfThere(file) ?? "";
  const present = parse(text);
  const once = ["SESSION_SECRET", "METRICS_TOKEN"].filter((name) => !present[name]);
  const wanted = { ...values, ...Object.fromEntries(once.map((name) => [name, makeSecret()])) };
  const changed = Object.entries(wanted).filter(([name, value]) => present[name] !== value);
  const lines = text.split("\n").filter((line, index, { length }) => line !== "" || index < length - 1);
  for (const [name, value] of changed) {
    // If several lines set a name, the last one counts.
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

/**
 * Replaces a file atomically, so that it has either the whole new text or the old one, readable only by its
 * owner.
 */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  // An existing file could be open to others, or link elsewhere.
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: OWNER_ALONE, flush: true, flag: "wx" });
  renameSync(draft, file);
}
