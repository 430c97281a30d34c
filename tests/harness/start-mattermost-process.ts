import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { collectOutput } from "./collect-output.ts";

type Ready = { url: string; adminToken: string; teamId: string };

/** Runs a Mattermost in a process of its own, which can be killed; on any free port, or always on the same. */
export async function startMattermostProcess(dataDir: string, port = 0) {
  const entry = fileURLToPath(new URL("./serve-mattermost-process.ts", import.meta.url));
  const child = fork(entry, [dataDir, String(port)], { execArgv: ["--import", "tsx"], silent: true });
  const { output } = collectOutput(child);
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => null)]);
  if (!started) throw new Error(`Mattermost did not start:\n${output()}`);
  return {
    ...(started[0] as Ready),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
