// The single check that decides whether the project is good. It installs missing parts, then runs every
// check, cheapest first. It is plain Node, because it runs before `npm ci`.
import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const results = join(root, "test-results");
const library = join(root, "dist", "hivegate");
const bin = (name) => join(root, "node_modules", ".bin", name);

function say(text) {
  console.log(`\n== ${text}`);
}

function has(command) {
  return spawnSync("which", [command], { stdio: "ignore" }).status === 0;
}

/** A priority below normal, but not the lowest, so that the work still finishes on a busy machine. */
const IN_GAPS_PRIORITY = 10;

/**
 * Returns whether a command succeeded. Its output is printed at its end, or at once if requested. In gaps,
 * the command uses the processor time that others leave.
 */
function run(command, args, { isShownAtOnce = false, isInGaps = false, ...options } = {}) {
  return new Promise((resolve) => {
    const stdio = isShownAtOnce ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(command, args, { cwd: root, stdio, ...options });
    if (isInGaps && child.pid) setPriority(child.pid, IN_GAPS_PRIORITY);
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
    child.on("error", () => resolve(false));
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code === 0);
    });
  });
}

function isInstalled() {
  const marker = join(root, "node_modules", ".package-lock.json");
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

/**
 * Groups of Debian packages with the commands that make each unnecessary. The first available package of a
 * group is installed.
 */
const systemPackages = [
  // Without a window, a page costs half the time.
  [{ name: "chromium-headless-shell" }, { name: "chromium", commands: ["chromium", "google-chrome"] }],
  [{ name: "redis-server" }],
];

async function installSystemPackages() {
  const canInstall = process.getuid?.() === 0 && has("apt-get");
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const isThere = ({ name, commands = [name] }) => commands.some(has);
  if (canInstall && !systemPackages.every(([first]) => isThere(first)))
    await run("apt-get", ["update", "-qq"], quiet);
  for (const choices of systemPackages) {
    let isMissing = !isThere(choices[0]);
    for (const { name } of canInstall ? choices : []) {
      if (!isMissing) break;
      isMissing = !(await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], quiet));
    }
    if (isMissing && !choices.some(isThere)) {
      console.error(
        `Install this first, then run verify again: ${choices.map(({ name }) => name).join(" or ")}`,
      );
      return false;
    }
  }
  return true;
}

let passed = 0;
/** Failures with their reasons, printed last because people read the end of a log. */
const failures = [];
/** Tests that passed, and errors outside of tests that were gone, on the second try. */
const wavering = [];
/** Errors in more files than these are no accident. */
const MOST_FILES_AGAIN = 3;

function noteFailure(test, reason) {
  const lines = stripVTControlCharacters(reason ?? "").split("\n");
  const own = lines.filter((line) => !/^ +at .*(node_modules|new Promise)/.test(line)).slice(0, 25);
  failures.push([test, ...own.map((line) => `    ${line}`)].join("\n"));
}

/** Removes the report of an earlier run, which would count if the runner crashes. */
function removeReport(file) {
  rmSync(join(results, file), { force: true });
}

function startVitest(args, report, options) {
  const reporters = ["default", "json", "./tests/unhandled-errors.mjs"].map((name) => `--reporter=${name}`);
  const output = `--outputFile.json=test-results/${report}`;
  removeReport(report);
  removeReport(unhandledIn(report));
  return run(bin("vitest"), ["run", ...args, ...reporters, output], {
    ...options,
    env: { ...process.env, ...options.env, UNHANDLED_ERRORS_FILE: join(results, unhandledIn(report)) },
  });
}

/**
 * Runs projects of Vitest, which report to a separate file. A failed test gets a second try, like the browser
 * tests: a stalled process on a busy machine proves no fault. So does a file in whose time an error occurred
 * that no test caught, if that alone failed the run. `npm test` allows no second try.
 */
async function runVitest(projects, report, options) {
  const chosen = projects.map((project) => `--project=${project}`);
  if (await startVitest(["--retry=1", ...chosen], report, options)) return true;
  try {
    const { numFailedTests, testResults } = readReport(report);
    const errors = readReport(unhandledIn(report));
    const files = new Set(errors.map(({ path }) => path));
    if (numFailedTests > 0 || testResults.some(({ status }) => status === "failed")) return false;
    if (files.size === 0 || files.size > MOST_FILES_AGAIN || files.has(undefined)) return false;
    if (!(await startVitest([...chosen, ...files], `again-${report}`, options))) return false;
    for (const { source, reason } of errors) wavering.push(`${source}: ${reason.split("\n")[0]}`);
    removeReport(unhandledIn(report));
    return true;
  } catch {
    // A crashed runner wrote no report.
    return false;
  }
}

function unhandledIn(report) {
  return `unhandled-${report}`;
}

function readReport(file) {
  return JSON.parse(readFileSync(join(results, file), "utf8"));
}

function countVitest(file) {
  if (existsSync(join(results, unhandledIn(file))))
    for (const { source, reason } of readReport(unhandledIn(file))) noteFailure(source, reason);
  const report = readReport(file);
  passed += report.numPassedTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((assertion) => assertion.status === "failed");
    const path = relative(root, name);
    for (const { fullName, status: outcome, failureMessages } of assertionResults)
      if (outcome === "passed" && failureMessages.length > 0) wavering.push(`${path}: ${fullName}`);
    for (const { fullName, failureMessages } of failed)
      noteFailure(`${path}: ${fullName}`, failureMessages[0]);
    if (status === "failed" && failed.length === 0) noteFailure(path, message);
  }
}

function runPlaywright() {
  removeReport("playwright.json");
  return run(bin("playwright"), ["test"], { isShownAtOnce: true });
}

function countPlaywright() {
  const { stats, suites } = readReport("playwright.json");
  passed += stats.expected + stats.flaky;
  const noteSuite = (suite) => {
    for (const { ok, file, title, tests } of suite.specs) {
      if (tests[0]?.status === "flaky") wavering.push(`tests/e2e/${file}: ${title}`);
      const error = tests[0]?.results.at(-1)?.error;
      if (!ok) noteFailure(`tests/e2e/${file}:${error?.location?.line}: ${title}`, error?.message);
    }
    suite.suites?.forEach(noteSuite);
  };
  suites.forEach(noteSuite);
}

/** The phases in order. The steps of each run side by side. */
const preparations = [
  [
    ["packages", () => isInstalled() || run("npm", ["ci", "--no-audit", "--no-fund"])],
    ["browser and redis-server", installSystemPackages],
  ],
  [
    ["format and lint", () => run(bin("biome"), ["ci", "--error-on-warnings", "."])],
    [
      "build",
      async () =>
        (await run("npm", ["run", "--silent", "build"])) && run("npm", ["run", "--silent", "build:lib"]),
    ],
  ],
];

/**
 * The phases in order. The steps of each run side by side: some wait for processes and clocks, others
 * compute.
 */
const tests = [
  [
    [
      "fault and package tests",
      () => runVitest(["apart"], "apart.json", { isShownAtOnce: true }),
      () => countVitest("apart.json"),
    ],
    [
      "unit, contract, integration and websocket tests",
      // These tests use gateways assembled by the server's build, while `npm test` uses their sources.
      () =>
        runVitest(["together"], "together.json", {
          isShownAtOnce: true,
          env: { ...process.env, GATEWAY_FROM: "build" },
        }),
      () => countVitest("together.json"),
    ],
  ],
  [
    [
      "contract tests through Next",
      () => runVitest(["contract through Next"], "through-next.json", { isShownAtOnce: true }),
      () => countVitest("through-next.json"),
    ],
  ],
  // The browser tests run alone, because next to other tests both would take longer on a machine with two
  // cores.
  [["browser tests", runPlaywright, countPlaywright]],
];

const folders = ["app", "lib", "sandbox", "server.ts", "middleware.ts", "instrumentation.ts"];
const isInGaps = true;

/**
 * Steps that run one after the other next to the tests, in the processor time that those leave while they
 * wait.
 */
const inGaps = [
  ["unused code", () => run(bin("knip"), [], { isInGaps })],
  [
    "direction of imports",
    () => run(bin("depcruise"), ["--config", ".dependency-cruiser.cjs", ...folders], { isInGaps }),
  ],
  // The build has already written the types of the routes.
  [
    "types",
    async () =>
      (await run(bin("tsc"), ["--noEmit"], { isInGaps })) &&
      run(bin("tsc"), ["--noEmit", "-p", "app/service-worker"], { isInGaps }),
  ],
  [
    "package",
    async () =>
      (await run(bin("publint"), [library, "--strict"], { isInGaps })) &&
      run(bin("attw"), ["--pack", library], { isInGaps }),
  ],
  [
    "simulation",
    () => runVitest(["simulation"], "simulation.json", { isInGaps }),
    () => countVitest("simulation.json"),
  ],
];

async function take([name, check, tally]) {
  const startedAt = Date.now();
  say(name);
  const isGood = await check();
  try {
    tally?.();
  } catch {
    // A crashed runner wrote no report, but its exit code has already failed the step.
  }
  say(`${name}: ${isGood ? "ok" : "FAILED"} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  return isGood;
}

/** Runs the phases in turn, and returns the names of the failed steps. */
async function takePhases(phases) {
  const failed = [];
  for (const steps of phases) {
    const outcomes = await Promise.all(steps.map(take));
    failed.push(...steps.filter((_, index) => !outcomes[index]).map(([name]) => name));
  }
  return failed;
}

/** Prints every failure and exits with status 1. */
function fail(steps) {
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`\nfailed: ${steps.join(", ")} (${order})`);
  console.log(`\nverify: ${passed} passed, ${Math.max(failures.length, steps.length)} failed`);
  process.exit(1);
}

/** Returns a seed that belongs to the checked-out commit, or a random one outside of a repository. */
function chooseSeed() {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : randomInt(2 ** 28);
}

// No test may depend on another: each commit has a different order, which its seed repeats.
process.env.SHUFFLE_SEED ||= String(chooseSeed());
const order = `SHUFFLE_SEED=${process.env.SHUFFLE_SEED}`;
say(`tests in the order of ${order}`);

mkdirSync(results, { recursive: true });
for (const phase of preparations) {
  const unprepared = await takePhases([phase]);
  if (unprepared.length > 0) fail(unprepared);
}
// A failed suite does not prevent the others, so that one run reports everything.
const failed = (await Promise.all([takePhases(tests), takePhases(inGaps.map((step) => [step]))])).flat();
for (const test of wavering) console.log(`\nat the second try: ${test}`);
if (failed.length > 0) fail(failed);
console.log(`\nverify: ${passed} passed, 0 failed`);
