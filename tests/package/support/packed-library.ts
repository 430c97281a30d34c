import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = process.cwd();

type Lock = { packages: Record<string, { dependencies?: Record<string, string> }> };

export type PackedLibrary = {
  /** Paths in the tarball. */
  files: string[];
  manifest: {
    name: string;
    exports: Record<string, unknown>;
    dependencies: Record<string, string>;
    [field: string]: unknown;
  };
  /** A project in which only the tarball is installed. */
  bare: string;
  /** Another project, in which frameworks, drivers and types are installed too. */
  full: string;
  remove(): Promise<void>;
};

/** Returns the folder of the built library. */
export function builtLibrary(): string {
  const folder = join(root, "dist", "hivegate");
  if (!existsSync(folder)) throw new Error("This test packs the built library: npm run build:lib");
  return folder;
}

/** Packs the built library and installs it in two fresh projects. */
export async function packLibrary(): Promise<PackedLibrary> {
  const library = builtLibrary();
  const folder = await mkdtemp(join(tmpdir(), "hivegate-library-"));
  const packed = await execute("npm", ["pack", library, "--json", "--pack-destination", folder]);
  const [tarball] = JSON.parse(packed.stdout) as [{ filename: string; files: Array<{ path: string }> }];
  const bare = join(folder, "bare");
  const manifest = JSON.parse(await readFile(join(library, "package.json"), "utf8"));
  await install(bare, join(folder, tarball.filename), manifest);
  const full = join(folder, "full");
  await mkdir(full);
  await writeFile(join(full, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // The packages are copied, because a linked file looks for its peer dependencies at its real location.
  await cp(join(bare, "node_modules"), join(full, "node_modules"), { recursive: true });
  await linkMissing(join(root, "node_modules"), join(full, "node_modules"));
  return {
    files: tarball.files.map(({ path }) => path),
    manifest,
    bare,
    full,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Installs the versions of our lock file, which npm has in its cache, so that it needs no registry. */
async function install(
  folder: string,
  tarball: string,
  { version, dependencies, bin }: PackedLibrary["manifest"],
): Promise<void> {
  const project = { name: "fresh", version: "1.0.0", dependencies: { hivegate: `file:${tarball}` } };
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8")) as Lock;
  const wanted = new Set(Object.keys(dependencies));
  for (const name of wanted)
    for (const needed of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}))
      wanted.add(needed);
  const lock = {
    ...{ name: project.name, version: project.version, lockfileVersion: 3, requires: true },
    packages: {
      "": project,
      "node_modules/hivegate": { version, resolved: `file:${tarball}`, dependencies, bin },
      ...Object.fromEntries(
        [...wanted].map((name) => [`node_modules/${name}`, packages[`node_modules/${name}`]]),
      ),
    },
  };
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  await execute("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
}

async function linkMissing(from: string, to: string): Promise<void> {
  const present = new Set(await readdir(to));
  for (const name of await readdir(from)) {
    if (name.startsWith(".") || name === "hivegate") continue;
    if (!present.has(name)) await symlink(join(from, name), join(to, name));
    else if (name.startsWith("@")) await linkMissing(join(from, name), join(to, name));
  }
}
