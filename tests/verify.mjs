// The one answer to "is it good?": installs what is missing, then every check, cheapest first. Plain Node: it runs before `npm ci`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
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

/** Returns whether a command ended well. What it prints comes out whole when it has ended, unless it is shown at once. */
function run(command, args, { isShownAtOnce = false, ...options } = {}) {
  return new Promise((resolve) => {
    const stdio = isShownAtOnce ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(command, args, { cwd: root, stdio, ...options });
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

/** Each is a package of Debian's with the commands that do without it; the first choice of a group that can be had is taken. */
const systemPackages = [
  // Without a window's parts a page costs half the time.
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
/** What failed, with its reason: the end of a log is what people see of it. */
const failures = [];
/** Browser tests that passed at their second try. */
const wavering = [];

function noteFailure(test, reason) {
  const lines = stripVTControlCharacters(reason ?? "").split("\n");
  const own = lines.filter((line) => !/^ +at .*(node_modules|new Promise)/.test(line)).slice(0, 25);
  failures.push([test, ...own.map((line) => `    ${line}`)].join("\n"));
}

function countVitest() {
  const report = JSON.parse(readFileSync(join(results, "vitest.json"), "utf8"));
  passed += report.numPassedTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((assertion) => assertion.status === "failed");
    const file = relative(root, name);
    for (const { fullName, failureMessages } of failed)
      noteFailure(`${file}: ${fullName}`, failureMessages[0]);
    if (status === "failed" && failed.length === 0) noteFailure(file, message);
  }
}

function countPlaywright() {
  const { stats, suites } = JSON.parse(readFileSync(join(results, "playwright.json"), "utf8"));
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

/** Each step of a phase runs beside the others. */
const phases = [
  [
    ["packages", () => isInstalled() || run("npm", ["ci", "--no-audit", "--no-fund"])],
    ["browser and redis-server", installSystemPackages],
  ],
  [
    ["format and lint", () => run(bin("biome"), ["ci", "--error-on-warnings", "."])],
    ["unused code", () => run(bin("knip"), [])],
    [
      "direction of imports",
      () =>
        run(bin("depcruise"), [
          "--config",
          ".dependency-cruiser.cjs",
          "app",
          "lib",
          "sandbox",
          "server.ts",
          "middleware.ts",
          "instrumentation.ts",
        ]),
    ],
    [
      "build",
      async () =>
        (await run("npm", ["run", "--silent", "build"])) && run("npm", ["run", "--silent", "build:lib"]),
    ],
  ],
  [
    // The build has written those of the routes. One core is enough for them, while the tests wait for each other.
    ["types", () => run(bin("tsc"), ["--noEmit"])],
    [
      "package",
      async () => (await run(bin("publint"), [library, "--strict"])) && run(bin("attw"), ["--pack", library]),
    ],
    [
      "unit, contract, websocket and fault tests",
      () => {
        const report = ["--reporter=json", "--outputFile.json=test-results/vitest.json"];
        return run(bin("vitest"), ["run", "--reporter=default", ...report], { isShownAtOnce: true });
      },
      countVitest,
    ],
  ],
  // Alone: beside the others a machine of two cores takes longer for both.
  [["browser tests", () => run(bin("playwright"), ["test"], { isShownAtOnce: true }), countPlaywright]],
];

async function take([name, check, tally]) {
  const startedAt = Date.now();
  say(name);
  const isGood = await check();
  try {
    tally?.();
  } catch {
    // A runner that crashed wrote no report; its exit code has already failed the step.
  }
  say(`${name}: ${isGood ? "ok" : "FAILED"} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  return isGood;
}

mkdirSync(results, { recursive: true });
for (const steps of phases) {
  const outcomes = await Promise.all(steps.map(take));
  if (outcomes.includes(false)) {
    for (const failure of failures) console.log(`\n${failure}`);
    console.log(`\nverify: ${passed} passed, ${Math.max(failures.length, 1)} failed`);
    process.exit(1);
  }
}
for (const test of wavering) console.log(`\nat the second try: ${test}`);
console.log(`\nverify: ${passed} passed, 0 failed`);
