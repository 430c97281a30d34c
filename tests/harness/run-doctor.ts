import { bundleOf } from "./bundled-processes.ts";
import { type EndedCommand, startCommand } from "./start-command.ts";

/** Runs the command of `npm run doctor` with only these settings, until it ends. */
export async function runDoctor(
  settings: Readonly<Record<string, string>>,
  ...options: string[]
): Promise<EndedCommand> {
  const ended = await startCommand(process.execPath, [bundleOf("lib/cli/doctor.ts"), ...options], {
    settings: { NODE_ENV: "production", ...settings },
  });
  if ("url" in ended) throw new Error("the doctor serves nothing");
  return ended;
}
