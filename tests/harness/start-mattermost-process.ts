import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

type Ready = { url: string; adminToken: string; teamId: string };

/**
 * Runs a Mattermost in a separate process, which can be killed, on any free port or always on the same one.
 */
export async function startMattermostProcess(dataDir: string, port = 0) {
  const child = fork(bundleOf("tests/harness/serve-mattermost-process.ts"), [dataDir, String(port)], {
    silent: true,
  });
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
