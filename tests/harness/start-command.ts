import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { collectOutput } from "./collect-output.ts";

export type RunningServer = {
  url: string;
  child: ChildProcess;
  output(): string;
  exited: Promise<number | null>;
};

export type EndedCommand = { output: string; code: number | null };

/** The environment without the machine's settings. */
export const bare = { PATH: process.env.PATH, HOME: process.env.HOME } as unknown as NodeJS.ProcessEnv;

const addressLine = /^(?:Hivegate serves|Facilitator for \S+ on) (http:\/\/[^/\s]+:\d+)/m;

/** Runs a command of the product, and waits for the line with its address or for its end. */
export async function startCommand(
  command: string,
  args: readonly string[],
  options: { settings: Readonly<Record<string, string>>; cwd?: string; expectsUncaught?: boolean },
): Promise<RunningServer | EndedCommand> {
  const { settings, cwd, expectsUncaught = false } = options;
  const env = { ...bare, ...settings };
  const child = spawn(command, args, { env, ...(cwd !== undefined && { cwd }) });
  const { output, onGrowth } = collectOutput(child, { expectsUncaught });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const serving = new Promise<string>((resolve) =>
    onGrowth((text) => {
      const url = addressLine.exec(text)?.[1];
      if (url) resolve(url);
    }),
  );
  const url = await Promise.race([serving, exited.then(() => null)]);
  if (url === null) return { output: output(), code: await exited };
  return { url, child, output, exited };
}
