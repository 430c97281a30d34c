import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

const builtScripts = [
  "app/(demo)/chat/_opening/opening-script.ts",
  "lib/x402/paywall/payment-page-script.ts",
];

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !builtScripts.includes(path));
const product = files.filter((path) =>
  /^(app|lib|sandbox)\/|^(server|middleware|instrumentation|instrumentation-client)\.ts$/.test(path),
);
const served = product.filter((path) => !path.startsWith("sandbox/"));
const textOf = (path: string) => readFileSync(path, "utf8");

/**
 * Files that may read the wall clock. Ages, limits and leases use `performance.now()`, because a step of the
 * machine's clock must not end or prolong them.
 */
const wallClockReaders = [
  "app/(demo)/_chat/data/events.ts",
  "app/(demo)/_chat/data/sender.ts",
  "app/(demo)/_chat/data/post-actions.ts",
  "app/(demo)/_chat/data/removals.ts",
  "app/(demo)/_chat/data/times.ts",
  "app/(demo)/_pay/unfinished-payments.ts",
  "app/(demo)/_wire/wire-log.ts",
  "app/(demo)/payments/payments-view.tsx",
  "lib/log.ts",
  "lib/services/earlier-assets.ts",
  "lib/services/services.ts",
  "lib/cli/examine-nodes.ts",
  "lib/hive/chain-state.ts",
  "lib/hive/sign-in.ts",
  "lib/store/open-database.ts",
  "lib/tracing.ts",
  // Values that outlive a process expire by the wall clock, which outlives it too.
  "lib/approvals/approvals.ts",
  "lib/approvals/chat-door.ts",
  "lib/wallet/file-lock.ts",
  "lib/wallet/file-store.ts",
  "lib/x402/client/choose-offer.ts",
  "lib/x402/client/find-head.ts",
  "lib/x402/discovery/catalogue.ts",
  "lib/x402/facilitator/ledger.ts",
  "lib/x402/paywall/offer-clock.ts",
];

/** Returns the test modules that a test file imports, directly or indirectly. */
function helpersOf(path: string, known = new Set<string>()): Set<string> {
  for (const [, target = ""] of textOf(path).matchAll(/ from "([.#][^"]+)"/g)) {
    const helper = target.startsWith("#") ? target.slice(1) : posix.join(posix.dirname(path), target);
    if (!helper.startsWith("tests/") || known.has(helper)) continue;
    known.add(helper);
    helpersOf(helper, known);
  }
  return known;
}

describe("layout", () => {
  test("unit tests start no server, chain or process", () => {
    const starts = /createServer\(|\.listen\(|(?<![.\w])(spawn|fork|exec|execFile)(Sync)?\(/;
    const takesStarter = /^import [^;]*\b(start|serve)[A-Z][^;]* from /m;
    const helpsStarting = /^tests\/harness\/(start|serve|open|use)-/;
    const tests = files.filter((path) => /^tests\/unit\/.*\.test\.ts$/.test(path));
    const outside = tests.filter((path) => !/\/(layout|docs)\.test\.ts$/.test(path));
    const isStarting = (path: string) =>
      helpsStarting.test(path) || starts.test(textOf(path)) || takesStarter.test(textOf(path));
    expect(outside.filter((path) => [path, ...helpersOf(path)].some(isStarting))).toEqual([]);
  });

  test("unit and integration tests are in the folders of lib or of the pages", () => {
    const folders = new Set(product.map((path) => posix.dirname(path)));
    const isOfProduct = (folder: string) =>
      ["", "deploy", "demo"].includes(folder) ||
      [
        folder.replace(/^demo\//, "app/(demo)/"),
        folder.replace(/^demo\//, "app/(demo)/_"),
        `lib/${folder}`,
      ].some((place) => folders.has(place));
    const tests = files.filter((path) => /^tests\/(unit|integration)\//.test(path));
    const folderOf = (path: string) => path.split("/").slice(2, -1).join("/");
    expect(tests.filter((path) => !isOfProduct(folderOf(path)))).toEqual([]);
  });

  test("imports use #lib, #app or #tests instead of going up four folders", () => {
    expect(files.filter((path) => /(from|import\() ?"(\.\.\/){4}/.test(textOf(path)))).toEqual([]);
  });

  test("imports within the library are relative, because it is built without the checkout's names", () => {
    const inLibrary = product.filter((path) => /^lib\/|^sandbox\//.test(path));
    expect(inLibrary.filter((path) => /from "#/.test(textOf(path)))).toEqual([]);
  });

  test("AbortSignal.any is used in one file only", () => {
    const joining = product.filter((path) => /AbortSignal\.any\(/.test(textOf(path)));
    expect(joining).toEqual(["lib/async/time-limits.ts"]);
  });

  test("route files import nothing from next", () => {
    const routes = product.filter((path) => /^app\/.*\/route\.ts$/.test(path));
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter((path) => /from "next/.test(textOf(path)))).toEqual([]);
  });

  test("only lib/config.ts and the wallet's settings read the environment", () => {
    // `NEXT_RUNTIME` is not a setting: Next replaces it with a constant.
    const readers = product.filter((path) => /process\.env\b(?!\.NEXT_RUNTIME\b)/.test(textOf(path)));
    // The wallet is a separate program with separate settings.
    expect(readers).toEqual(["lib/config.ts", "lib/wallet/settings.ts"]);
  });

  test("the wall clock is read only for times that are shown, signed or compared with outside times", () => {
    const readers = served.filter((path) => /\bDate\.now\b/.test(textOf(path)));
    expect(new Set(readers)).toEqual(new Set(wallClockReaders));
  });

  test("pages and the demo agent reach the gateway only through the chat client", () => {
    const callers = product.filter(
      (path) =>
        /^app\/\(demo\)\/|^lib\/cli\/(start-agent|explain-failure|find-author|demo)\.ts$/.test(path) &&
        /(?<!\w)fetch\(|new WebSocket|XMLHttpRequest|EventSource/.test(textOf(path)),
    );
    // In order: a file of the page, the client's `fetch`, recorded by the inspector, and requests that are sent
    // early for the client.
    expect(callers).toEqual([
      "app/(demo)/_chat/emoji/emojify.ts",
      "app/(demo)/_wire/wire-log.ts",
      "app/(demo)/chat/_opening/request-early.ts",
    ]);
    // The same applies to the agent's requests, whichever demo module sends them.
    const agent = textOf("lib/cli/start-agent.ts");
    expect(agent.match(/from "\.\/[^"]+"/g)).toEqual([
      'from "./explain-failure.ts"',
      'from "./find-author.ts"',
      'from "./pay-for-article.ts"',
    ]);
    expect(agent.match(/import \{ (.*) \} from "\.\/pay-for-article\.ts"/)?.[1]).toBe("keyOf");
    const recorders = product.filter((path) => /^import .*\bfetchRecorded\b/m.test(textOf(path)));
    // `offer-summary.tsx` requests a price from the seller, which may be a server other than the gateway.
    expect(recorders).toEqual(["app/(demo)/_pay/offer-summary.tsx", "app/(demo)/_session/chat-session.ts"]);
  });

  test("pages call the chat by client methods, not by paths", () => {
    const asking = product.filter(
      (path) =>
        path.startsWith("app/(demo)/") &&
        /\brequest\b.*["'`]\/api\/chat\/|\bchatSession\.call\b/.test(textOf(path)),
    );
    expect(asking).toEqual([]);
  });

  test("git ignores the tarball of npm pack", () => {
    const name = execFileSync("git", ["check-ignore", "hivegate-1.0.0.tgz"], { encoding: "utf8" });
    expect(name.trim()).toBe("hivegate-1.0.0.tgz");
  });

  test("comments of types and constants begin with a noun or a sentence", () => {
    const headless = /\/\*\*\s+(?:\* )?(What|Whether|How|Why|Where|When|Which|Who|Used)\b.*/g;
    const found = files.flatMap((path) =>
      (textOf(path).match(headless) ?? []).map((comment) => `${path}: ${comment}`),
    );
    expect(found).toEqual([]);
  });

  test("test names and comments contain no unexplained codes, such as a letter with a number", () => {
    const code = /\((?:[A-Z]\d{1,3})(?:[,)]| ?-)|, [A-Z]\d{1,3}["`]/;
    const tests = files.filter((path) => path.startsWith("tests/"));
    expect(tests.filter((path) => code.test(textOf(path)))).toEqual([]);
  });

  test("tests wait by expect.poll and soon, whose limit suits a busy machine, not by vi.waitFor", () => {
    const tests = files.filter((path) => path.startsWith("tests/") && path !== "tests/unit/layout.test.ts");
    const limits = (path: string) => [...textOf(path).matchAll(/\.poll\([^;]*?\btimeout: ([\d_]+)/g)];
    const isImpatient = (path: string) =>
      /vi\.wait(For|Until)\(/.test(textOf(path)) ||
      limits(path).some(([, limit = ""]) => Number(limit.replaceAll("_", "")) <= 30_000);
    expect(tests.filter(isImpatient)).toEqual(["tests/harness/soon.ts"]);
  });

  test("browser tests measure positions by boxOf, which refuses hidden elements", () => {
    const measuring = files.filter(
      (path) => path.startsWith("tests/e2e/") && /\.boundingBox\(/.test(textOf(path)),
    );
    expect(measuring).toEqual(["tests/e2e/support/box-of.ts"]);
  });

  test("code and tests use no male pronouns", () => {
    const pronoun = /\b(he|him|his|himself)\b/i;
    const readable = files.filter((path) => path !== "tests/unit/layout.test.ts");
    expect(readable.filter((path) => pronoun.test(textOf(path)))).toEqual([]);
  });

  test("there are no miscellaneous files", () => {
    expect(
      files.filter((path) => /(^|\/)(utils?|helpers?|common|misc|manager)\.(ts|tsx|mjs)$/.test(path)),
    ).toEqual([]);
  });

  test("file names are in kebab-case", () => {
    const names = files.map((path) => path.split("/").at(-1) ?? "");
    expect(names.filter((name) => !/^[a-z0-9]+([.-][a-z0-9]+)*\.(ts|tsx|mjs)$/.test(name))).toEqual([]);
  });
});

const bindingOf = (platform: string) => `@oxc-parser/binding-${platform}`;
const oxideOf = (platform: string) => `@tailwindcss/oxide-${platform}`;

describe("dependencies", () => {
  type Entry = {
    version: string;
    dev?: boolean;
    optional?: boolean;
    resolved?: string;
    integrity?: string;
    link?: boolean;
    engines?: { node?: string };
  };
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, Entry> };
  const shipped = Object.entries(packages).filter(([path, entry]) => path !== "" && !entry.dev);

  test("accept Node 20.9 in production", () => {
    // The only ranges in use are ">=x", "^x || >=y" and "x". A range that excludes 20.9 names a 20.x above
    // it, or a major version above 20.
    const refuses = (range: string) =>
      !range.split("||").some((part) => {
        const match = /^\s*(>=|\^|>)?\s*v?(\d+)(?:\.(\d+))?/.exec(part);
        if (!match) return /^\s*\*?\s*$/.test(part);
        const [, operator = "=", major = "0", minor = "0"] = match;
        if (Number(major) === 20) return Number(minor) <= 9;
        return operator.startsWith(">") ? Number(major) < 20 : false;
      });
    const refusing = shipped.filter(([, entry]) => entry.engines?.node && refuses(entry.engines.node));
    expect(refusing.map(([path, entry]) => `${path} ${entry.engines?.node}`)).toEqual([]);
  });

  /** Builds for other platforms that were missing in the registry when they were locked. */
  const withoutIntegrity = [
    ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64"].map((it) => `@biomejs/cli-${it}`),
    ...["linux-arm64-musl", "linux-x64-musl", "win32-arm64", "win32-x64"].map((it) => `@biomejs/cli-${it}`),
    ...["darwin-arm64", "darwin-x64", "win32-arm64-msvc", "win32-x64-msvc"].map((it) => `@next/swc-${it}`),
    ...["android-arm-eabi", "android-arm64", "darwin-arm64", "darwin-x64", "freebsd-x64"].map(bindingOf),
    ...["linux-arm-gnueabihf", "linux-arm-musleabihf", "linux-ppc64-gnu", "linux-riscv64-gnu"].map(bindingOf),
    ...["linux-riscv64-musl", "linux-s390x-gnu", "openharmony-arm64", "win32-arm64-msvc"].map(bindingOf),
    ...["win32-ia32-msvc", "win32-x64-msvc"].map(bindingOf),
    ...["android-arm64", "darwin-arm64", "darwin-x64", "freebsd-x64", "linux-arm-gnueabihf"].map(oxideOf),
    ...["wasm32-wasi", "win32-arm64-msvc", "win32-x64-msvc"].map(oxideOf),
  ];

  test("have digests in the lock file, except for builds for other platforms", () => {
    const bare = Object.entries(packages).filter(([path, entry]) => path && !entry.link && !entry.integrity);
    expect(bare.map(([path]) => path.slice("node_modules/".length)).sort()).toEqual(withoutIntegrity.sort());
    expect(bare.filter(([, entry]) => !entry.optional)).toEqual([]);
  });

  test("name no registry in the lock file", () => {
    expect(Object.values(packages).filter((entry) => entry.resolved?.startsWith("http"))).toEqual([]);
  });
});
