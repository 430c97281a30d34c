import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collectOutput } from "../harness/collect-output.ts";
import { freePort } from "../harness/free-port.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { type PackedLibrary, packLibrary } from "./support/packed-library.ts";

const execute = promisify(execFile);
const root = process.cwd();

let library: PackedLibrary;
let projects = 0;
beforeAll(async () => {
  library = await packLibrary();
}, 300_000);
afterAll(() => library.remove());

/** Creates a project with the tarball installed and these files. */
async function openProject(manifest: object, files: Record<string, string> = {}): Promise<string> {
  const folder = join(library.full, `project-${++projects}`);
  await mkdir(folder);
  await symlink("../node_modules", join(folder, "node_modules"));
  const all = { "package.json": JSON.stringify({ private: true, ...manifest }), ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Runs the command as it is printed. */
async function init(folder: string, ...args: string[]) {
  const ended = execute("npx", ["--no-install", "hivegate", "init", ...args], { cwd: folder });
  return ended.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );
}

const next = { dependencies: { next: "16", hivegate: "1", libsql: "1" } };
const express = { dependencies: { express: "4" } };
const hono = { type: "module", dependencies: { hono: "4" } };

describe("npx hivegate init", () => {
  test.each([
    ["Next in TypeScript", next, { "tsconfig.json": "{}", "app/page.tsx": "" }, "app/paid-report/route.ts"],
    ["Next in JavaScript, under src", next, { "src/app/page.js": "" }, "src/app/paid-report/route.js"],
    ["Express in CommonJS", express, {}, "paid-report.mjs"],
    [
      "Express in TypeScript, under src",
      express,
      { "tsconfig.json": "{}", "src/a.ts": "" },
      "src/paid-report.ts",
    ],
    ["Hono in modules", hono, {}, "paid-report.js"],
  ])("detects %s, and reports the file it wrote and the next steps", async (_name, manifest, files, path) => {
    const folder = await openProject(manifest, files);
    const { code, said } = await init(folder);
    expect([code, said]).toEqual([0, expect.stringContaining(`Wrote ${path}`)]);
    expect(said).toContain("npm run quickstart");
    expect(said).toContain("Add .data to .gitignore");
    expect(said).toContain("curl -i http://127.0.0.1:4000/paid-report");
    expect(said.includes("npm install hivegate libsql")).toBe(manifest !== next);
    expect(await readFile(join(folder, path), "utf8")).toContain("...sandbox(),");
  });

  test("overwrites no file", async () => {
    const folder = await openProject(hono, { "paid-report.js": "mine" });
    expect(await init(folder)).toEqual({
      code: 1,
      said: expect.stringContaining("paid-report.js is there already. Nothing was written."),
    });
    expect(await readFile(join(folder, "paid-report.js"), "utf8")).toBe("mine");
  });

  test("explains why it can't write a route", async () => {
    const both = { dependencies: { ...express.dependencies, ...hono.dependencies } };
    const cases: Array<[object, string[], RegExp]> = [
      [{}, [], /Neither next nor express nor hono/],
      [both, [], /express and hono are in this project\. Say which: npx hivegate init express/],
      [express, ["hono"], /hono is not in this project's package\.json/],
      [express, ["rails"], /rails is none of next, express, hono/],
      [next, [], /neither app\/ nor src\/app\//],
    ];
    for (const [manifest, args, words] of cases) {
      const { code, said } = await init(await openProject(manifest), ...args);
      expect([code, said]).toEqual([1, expect.stringMatching(words)]);
    }
    expect((await init(await openProject(both), "hono")).said).toContain("Wrote paid-report.mjs");
    const broken = await openProject({});
    await writeFile(join(broken, "package.json"), "{");
    const { said } = await init(broken);
    expect(said).toContain("The package.json here is no JSON: mend it first.\n");
    expect(said).not.toContain("    at ");
    const command = join(library.full, "node_modules/hivegate/hivegate.js");
    const empty = await mkdtemp(join(tmpdir(), "hivegate-empty-"));
    const failed = await execute(process.execPath, [command, "init"], { cwd: empty }).catch((error) => error);
    expect(failed.stderr).toContain("There is no package.json here");
    await rm(empty, { recursive: true });
  });
});

const isBuilt = existsSync(".next/BUILD_ID") && existsSync("dist/server.js");

describe.skipIf(!isBuilt)("the generated route", () => {
  let sandbox: RunningServer;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-init-"));
    const port = String(await freePort());
    const started = await startServer(["--sandbox"], { DATA_DIR: dataDir, PORT: port, LOG_LEVEL: "error" });
    if (!("url" in started)) throw new Error(started.output);
    sandbox = started;
  });
  afterAll(async () => {
    sandbox.child.kill("SIGTERM");
    await sandbox.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  const serveWeb = `import { serveWeb } from "${root}/tests/harness/serve-web.ts";`;
  const say = `console.log(url + "/paid-report");`;
  /** The files that the printed lines go into. */
  const servers = {
    next: `import { GET } from "./app/paid-report/route.ts";\n${serveWeb}\nconst { url } = await serveWeb((request) => GET(request));\n${say}`,
    express: `const express = require("express");\nconst app = express();\nMOUNT0\nconst server = app.listen(0, "127.0.0.1", () => {\n  const url = "http://127.0.0.1:" + server.address().port;\n  ${say}\n});`,
    hono: `import { Hono } from "hono";\nMOUNT0\n${serveWeb}\nconst app = new Hono();\nMOUNT1\nconst { url } = await serveWeb((request) => app.fetch(request));\n${say}`,
  };

  test.each([
    ["next", next, { "tsconfig.json": "{}", "app/page.tsx": "" }, "server.mts"],
    ["express", express, {}, "server.js"],
    ["hono", hono, { "tsconfig.json": "{}" }, "server.mts"],
  ] as const)("for %s returns 402, and sells to a paying program", async (name, manifest, files, main) => {
    const folder = await openProject(manifest, files);
    const { said } = await init(folder);
    const path = /^Wrote (\S+):/.exec(said)?.[1] ?? "";
    const { host } = new URL(sandbox.url);
    const { chain } = await (await fetch(`${sandbox.url}/api/sandbox`)).json();
    // Both addresses may be taken on this machine.
    const place = (text: string) =>
      text
        .replaceAll("sandbox()", `sandbox(${JSON.stringify({ gateway: sandbox.url, node: chain.url })})`)
        .replaceAll("127.0.0.1:3000", host);
    await writeFile(join(folder, path), place(await readFile(join(folder, path), "utf8")));
    const mounts = said.split("\n").filter((line) => line.startsWith("       "));
    const server = servers[name].replace(/MOUNT(\d)/g, (_, index) => mounts[Number(index)]?.trim() ?? "");
    await writeFile(join(folder, main), server);
    await writeFile(join(folder, "buy.mts"), place(await readFile("examples/agent/buy.ts", "utf8")));
    const tsx = [process.execPath, "--import", "tsx"] as const;
    // Plain Node runs plain JavaScript.
    const child = execFile(process.execPath, main === "server.js" ? [main] : [...tsx.slice(1), main], {
      cwd: folder,
    });
    try {
      const { output } = collectOutput(child);
      await expect.poll(output, { timeout: 60_000 }).toMatch(/http\S+\/paid-report\n/);
      const address = /http\S+\/paid-report/.exec(output())?.[0] ?? "";
      // A CommonJS file mounts the paywall a moment after it starts.
      await expect.poll(async () => (await fetch(address)).status).toBe(402);
      const unpaid = await fetch(address);
      expect([unpaid.status, await unpaid.json()]).toMatchObject([402, { code: "payment_required" }]);
      const bought = await execute(tsx[0], [...tsx.slice(1), "buy.mts", address], { cwd: folder });
      expect(bought.stdout).toMatch(/^200, paid by alice in transaction \w+/);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
