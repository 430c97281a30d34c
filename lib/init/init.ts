#!/usr/bin/env node
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Framework, frameworks, type Project, readProject } from "./project.ts";
import { type Route, routeFor } from "./routes.ts";

const USAGE = `Usage: npx hivegate init [${frameworks.join("|")}]

Writes a route that costs 0.050 HBD on Hivegate's sandbox into the project of this folder. It changes no file. The other command: npx hivegate mcp-wallet --help`;

const EX_USAGE = 2;

/** A problem that the caller must solve first. */
class Refusal extends Error {
  readonly status: number;

  constructor(message: string, status = 1) {
    super(message);
    this.status = status;
  }
}

function choose({ found, appFolder }: Project, wanted: string | undefined): Framework {
  const asked = frameworks.find((name) => name === wanted);
  if (wanted !== undefined && !asked)
    throw new Refusal(`${wanted} is none of ${frameworks.join(", ")}.\n\n${USAGE}`);
  if (asked && !found.includes(asked)) throw new Refusal(`${asked} is not in this project's package.json.`);
  const [only, ...others] = found;
  if (!only)
    throw new Refusal(
      "Neither next nor express nor hono is in this project's package.json: install one first. For Fastify and plain node:http see the library's README.",
    );
  if (!asked && others.length > 0)
    throw new Refusal(`${found.join(" and ")} are in this project. Say which: npx hivegate init ${only}`);
  const framework = asked ?? only;
  if (framework === "next" && appFolder === null)
    throw new Refusal("Next is here without the app router: there is neither app/ nor src/app/.");
  return framework;
}

function write({ path, text }: Route): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new Refusal(`${path} is there already. Nothing was written.`);
  }
}

function read(): Project | null {
  try {
    return readProject(".");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Refusal("The package.json here is no JSON: mend it first.");
  }
}

function nextSteps({ mount, start, url }: Route, { missing }: Project): string {
  const steps = [
    ...(missing.length > 0 ? [`npm install ${missing.join(" ")}`] : []),
    ...(mount.length > 0
      ? [`In your server's file:\n${mount.map((line) => `       ${line}`).join("\n")}`]
      : []),
    "Add .data to .gitignore: what was delivered is remembered there.",
    "In a Hivegate checkout, in another terminal: npm run quickstart",
    start,
    `curl -i ${url}        # 402, with what it costs`,
  ];
  return steps.map((step, index) => `  ${index + 1}. ${step}`).join("\n");
}

function init(args: readonly string[]): void {
  const [command, wanted] = args;
  if (args.includes("--help") || args.includes("-h")) {
    console.log(USAGE);
    return;
  }
  const unknown = args.find((arg) => arg.startsWith("-")) ?? args[2];
  if (unknown !== undefined) throw new Refusal(`${unknown} is not known here.\n\n${USAGE}`, EX_USAGE);
  if (command !== "init") throw new Refusal(USAGE, EX_USAGE);
  const project = read();
  if (!project) throw new Refusal("There is no package.json here: run it in your project's folder.");
  const route = routeFor(choose(project, wanted), project);
  write(route);
  console.log(`Wrote ${route.path}: GET /paid-report costs 0.050 HBD on the sandbox. Next:\n`);
  console.log(nextSteps(route, project));
}

try {
  init(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = error.status;
}
