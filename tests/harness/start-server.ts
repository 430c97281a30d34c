import { existsSync } from "node:fs";
import { type EndedCommand, type RunningServer, startCommand } from "./start-command.ts";

export type { RunningServer } from "./start-command.ts";

/** Starts the built server like `npm start`, and waits for the line with its address or for its end. */
export async function startServer(
  args: string[],
  settings: Record<string, string>,
  options: { expectsUncaught?: boolean } = {},
): Promise<RunningServer | EndedCommand> {
  if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
    throw new Error("This test runs the built server: npm run build");
  return startCommand(process.execPath, ["dist/server.js", ...args], {
    settings: { NODE_ENV: "production", CHAT_APP_IDS: "hivegate", ...settings },
    ...options,
  });
}
