import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

export type RunningServer = {
  url: string;
  child: ChildProcess;
  output(): string;
  exited: Promise<number | null>;
};

/** The environment without the settings that the machine may hold. */
const bare = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" as const };

/** Starts the built server as `npm start` does, and waits for the line that tells its address, or for its end. */
export async function startServer(
  args: string[],
  settings: Record<string, string>,
): Promise<RunningServer | { output: string; code: number | null }> {
  if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
    throw new Error("This test runs the built server: npm run build");
  const child = spawn(process.execPath, ["dist/server.js", ...args], { env: { ...bare, ...settings } });
  let output = "";
  const exited = once(child, "close").then(([code]) => code as number | null);
  const serving = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const url = /^Hivegate serves (\S+)/m.exec(output)?.[1];
        if (url) resolve(url);
      });
  });
  const url = await Promise.race([serving, exited.then(() => null)]);
  if (url === null) return { output, code: await exited };
  return { url, child, output: () => output, exited };
}
