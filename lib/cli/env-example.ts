import { z } from "zod";
import { Settings } from "../settings.ts";

/** The text of `.env.example`: every setting with its meaning; those with a default or a choice are commented out. */
export function envExample(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(Settings, {
    io: "input",
    unrepresentable: "any",
  });
  const entries = Object.entries(properties).map(([name, schema]) => {
    const { description, default: value } = schema as { description?: string; default?: unknown };
    const isNeeded = required.includes(name);
    const line = `${name}=${isNeeded || value === undefined ? "" : String(value)}`;
    return `# ${description}${isNeeded ? " (needed)" : ""}\n${isNeeded ? line : `#${line}`}\n`;
  });
  return [
    "# Written by `npm run env`. Every command reads .env of its working folder; variables of the environment win. The sandbox needs none of it.\n",
    ...entries,
  ].join("\n");
}
