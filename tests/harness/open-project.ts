import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { collectOutput } from "./collect-output.ts";
import { type Block, readBlocks } from "./read-blocks.ts";

const root = process.cwd();

const needsOf = (library: string) =>
  Object.keys(
    (JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as { dependencies: object })
      .dependencies,
  );

/** The packages that `npm install` without names installs. */
const namesInManifest =
  "const { dependencies, devDependencies } = JSON.parse(fs.readFileSync('package.json')); Object.keys({ ...dependencies, ...devDependencies }).map((name) => name === 'hivegate' ? 'hivegate.tgz' : name).join('\\n')";

/**
 * Replaces `npm install` by one that provides the packages from here, with the built library, so that tests
 * run without a registry. All other commands are npm's.
 */
const npm = (library: string, isCopied: boolean) => `#!/usr/bin/env bash
set -e
if [ "$1" != install ]; then exec ${JSON.stringify(join(dirname(process.execPath), "npm"))} "$@"; fi
if ${isCopied}; then
  cp -al ${JSON.stringify(join(root, "node_modules"))} . && cp -r ${JSON.stringify(library)} node_modules/hivegate
  exit
fi
mkdir -p node_modules/.bin
names=("\${@:2}")
if [ $# = 1 ]; then mapfile -t names < <(node -p ${JSON.stringify(namesInManifest)}); fi
for name in "\${names[@]}"; do
  case "$name" in
    -*) continue ;;
    *.tgz) cp -r ${JSON.stringify(library)} node_modules/hivegate && ln -sf ../hivegate/hivegate.js node_modules/.bin/hivegate && "$0" install ${needsOf(library).join(" ")} ;;
    *) mkdir -p "$(dirname "node_modules/$name")" && ln -sf "${root}/node_modules/$name" "node_modules/$name" ;;
  esac
  if [ -e "${root}/node_modules/.bin/$name" ]; then ln -sf "${root}/node_modules/.bin/$name" node_modules/.bin/; fi
done
`;

export type Project = {
  folder: string;
  /**
   * Runs a shell script and returns its output. The next script starts in the folder where this one ended.
   */
  run(script: string): Promise<string>;
  /** Starts a script that runs until the end of the test, and waits for output that matches. */
  start(script: string, ready: RegExp): Promise<{ output(): string; until(text: RegExp): Promise<void> }>;
  /**
   * Follows a page: writes its files, runs its scripts, and expects the printed output. Returns the scripts
   * that ran.
   */
  follow(page: string, skip: (script: string) => boolean): Promise<string[]>;
  close(): Promise<void>;
};

/**
 * Opens an empty folder with a shell. `library` is the built package, and `place` replaces the printed
 * addresses by this run's.
 */
export async function openProject(options: {
  library: string;
  place: (text: string) => string;
  cwd?: string;
  settings?: Record<string, string>;
  /** True if the packages are real, not links, which some bundlers don't follow. */
  isCopied?: boolean;
}): Promise<Project> {
  const { library, place, isCopied = false } = options;
  // A hard link costs nothing, but must stay on the same file system.
  const home = await mkdtemp(join(isCopied ? dirname(library) : tmpdir(), "project-"));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/npm"), npm(library, isCopied), { mode: 0o755 });
  const folder = join(home, "beside");
  mkdirSync(folder);
  const lines = join(home, "cwd");
  let cwd = options.cwd ?? folder;
  const running: Array<{ pid: number; closed: Promise<unknown> }> = [];
  // The environment, without the settings of the test runner and the machine.
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: "development",
    HOME: process.env.HOME,
    PATH: `${join(home, "bin")}:${process.env.PATH}`,
    ...options.settings,
  };

  const launch = (script: string) => {
    const child = spawn("bash", ["-c", `set -e\n${script}\npwd > ${JSON.stringify(lines)}`], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    running.push({ pid: child.pid as number, closed });
    return { ...collectOutput(child), closed };
  };

  const run = async (script: string) => {
    const { output, closed } = launch(script);
    const code = await closed;
    if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${output()}`);
    cwd = readFileSync(lines, "utf8").trim();
    return output();
  };

  const start = async (script: string, ready: RegExp) => {
    const { output, onGrowth, closed } = launch(script);
    const until = (text: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => text.test(output()) && resolve();
        onGrowth(look);
        look();
        void closed.then(() => reject(new Error(`${script}\nended before it wrote ${text}:\n${output()}`)));
      });
    await until(ready);
    return { output, until };
  };

  return {
    folder,
    run,
    start,
    async follow(page, skip) {
      const ran: string[] = [];
      const blocks = readBlocks(page);
      for (const [index, block] of blocks.entries()) {
        const name = block.language === "ts" && /^\/\/ (\S+)\n/.exec(block.text)?.[1];
        if (name) writeFileSync(join(cwd, name), place(block.text));
        if (block.language !== "sh" || skip(block.text)) continue;
        ran.push(block.text);
        const expected = expectedAfter(blocks[index + 1], place);
        const script = place(block.text);
        if (script.includes("until Ctrl+C")) await start(script, expected ?? /\n/);
        else {
          const output = await run(script);
          if (expected && !expected.test(output))
            throw new Error(`${page}:${block.line}: expected ${expected}, and got\n${output}`);
        }
      }
      return ran;
    },
    async close() {
      for (const { pid } of running)
        try {
          process.kill(-pid, "SIGTERM");
        } catch {
          // The process has already ended.
        }
      await Promise.all(running.map(({ closed }) => closed));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns the output that a text block after a script promises; `…` matches anything. */
function expectedAfter(block: Block | undefined, place: (text: string) => string): RegExp | null {
  if (block?.language !== "text") return null;
  const parts = place(block.text.trim()).split("…");
  return new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^]*"));
}
