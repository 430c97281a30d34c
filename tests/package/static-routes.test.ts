import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { bare } from "../harness/start-command.ts";
import { builtLibrary } from "./support/packed-library.ts";

const execute = promisify(execFile);

let folder: string | undefined;
afterEach(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Creates a project of Next with one route, and the built library. */
async function createProject(route: string): Promise<string> {
  const library = builtLibrary();
  folder = await mkdtemp(join(tmpdir(), "hivegate-static-"));
  const packages = join(folder, "node_modules");
  await mkdir(packages);
  for (const name of ["next", "react", "react-dom"])
    await symlink(resolve("node_modules", name), join(packages, name));
  await symlink(library, join(packages, "hivegate"));
  await mkdir(join(folder, "app", "report"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await writeFile(join(folder, "app", "report", "route.js"), route);
  return folder;
}

test('the build of a paid route with dynamic = "force-static" fails and says why', async () => {
  const cwd = await createProject(`
    import { withPaywall } from "hivegate/next";
    import { sandbox } from "hivegate/sandbox";

    export const dynamic = "force-static";
    export const GET = withPaywall(
      { ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" },
      () => new Response("report"),
    );
  `);
  const next = resolve("node_modules/next/dist/bin/next");
  const env = { ...bare, NEXT_TELEMETRY_DISABLED: "1" };
  const failed = await execute(process.execPath, [next, "build", "--webpack"], { cwd, env }).catch(
    (error: { code: unknown; stderr: string }) => error,
  );
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'a paid route runs for each request, so it can\'t be static: remove `dynamic = "force-static"`',
    ),
  });
});
