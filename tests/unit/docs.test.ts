import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_SOCKETS_OF_A_USER } from "../../lib/chat/access/logouts.ts";
import { createChatClient } from "../../lib/chat-client/index.ts";
import { seedErrorCodes } from "../../lib/cli/mattermost-calls.ts";
import { bootstrapLimits } from "../../lib/contract/limits.ts";
import { clientRemedies, refusalRemedies, rejectionRemedies } from "../../lib/contract/payment-remedies.ts";
import { NewPostRequest, PostsQuery } from "../../lib/contract/requests.ts";
import { errorTable } from "../../lib/errors.ts";
import { writeLimit } from "../../lib/http/rate-limit.ts";
import { Settings } from "../../lib/settings.ts";
import { reasons } from "../../lib/x402/facilitator/reasons.ts";
import { refusalCodes, rejectionCodes } from "../../lib/x402/paywall/refusals.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { compileLibraryUsers, type LibraryUsers } from "../harness/compile-library-users.ts";
import { listFiles, listPages } from "../harness/list-pages.ts";
import { readBlocks } from "../harness/read-blocks.ts";

const textOf = (path: string) => readFileSync(path, "utf8");
const pages = listPages();

/** Returns the part of a page under a heading, up to the next heading of its rank or above. */
function sectionOf(page: string, heading: string): string {
  const lines = textOf(page).split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  if (start < 0) throw new Error(`${page} has no heading "${heading}"`);
  const rank = lines[start]?.indexOf(" ") ?? 0;
  const end = lines.findIndex(
    (line, index) => index > start && /^#+ /.test(line) && line.indexOf(" ") <= rank,
  );
  return lines.slice(start + 1, end < 0 ? undefined : end).join("\n");
}

/** Returns the code in the first cells of a section's tables, with the second cells. */
function rowsOf(page: string, heading: string): Array<[name: string, second: string]> {
  return sectionOf(page, heading)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .flatMap(([, first = "", second = ""]) =>
      [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]): [string, string] => [name, second]),
    );
}
const namesIn = (page: string, heading: string) =>
  [...new Set(rowsOf(page, heading).map(([name]) => name))].sort();

/** Returns GitHub's anchor for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Returns the pictures that a page shows from the repository; those of a theme share the text of the usual one. */
const picturesOf = (page: string) =>
  [...textOf(page).matchAll(/<(img|source)\b[^>]*\b(?:src|srcset)="(?!https?:)([^"]+)"[^>]*>/g)].map(
    ([tag, name, path = ""]) => ({
      path: normalize(join(dirname(page), path)),
      isDescribed: name === "source" || /\balt="[^"]{20,}"/.test(tag),
    }),
  );

describe("pages", () => {
  test.each(pages)("%s links only to existing files and headings", (page) => {
    const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const dead = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(target)) return true;
      const headings = anchor === undefined ? [] : [...textOf(target).matchAll(/^#+ (.*)$/gm)];
      return anchor !== undefined && !headings.some(([, heading = ""]) => anchorOf(heading) === anchor);
    });
    expect(dead).toEqual([]);
  });

  test.each(pages)("%s shows only existing pictures, and describes each", (page) => {
    const pictures = picturesOf(page);
    expect(pictures.filter(({ path }) => !existsSync(path))).toEqual([]);
    expect(pictures.filter(({ isDescribed }) => !isDescribed)).toEqual([]);
  });

  test("the pictures of phone-sign-in.md have at most 60 kB each, and 500 kB together", () => {
    const paths = picturesOf("docs/phone-sign-in.md").map(({ path }) => path);
    const sizes = paths.map((path) => ({ path, size: statSync(path).size }));
    expect(sizes.filter(({ size }) => size > 60_000)).toEqual([]);
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(500_000);
  });

  test.each(pages)("%s names only existing files and folders", (page) => {
    const named = [...textOf(page).matchAll(/`((?:app|lib|sandbox|tests|docs|examples)\/[\w()/.-]+)`/g)];
    const paths = named.map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("the pages name only tarballs of the current version", () => {
    const { version } = JSON.parse(textOf("package.json")) as { version: string };
    const tarballs = pages.flatMap((page) => textOf(page).match(/hivegate-[\d.]+\.tgz/g) ?? []);
    expect(new Set(tarballs)).toEqual(new Set([`hivegate-${version}.tgz`]));
  });

  test("the pages name only commands from package.json", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) =>
      [...textOf(page).matchAll(/npm run (?:--silent )?([a-z][a-z:]*)/g)].map(([, name = ""]) => name),
    );
    const inExamples = listFiles(/^examples\/.*package\.json$/).flatMap((path) =>
      Object.keys((JSON.parse(textOf(path)) as { scripts?: object }).scripts ?? {}),
    );
    expect(named.filter((name) => !scripts[name] && !inExamples.includes(name))).toEqual([]);
  });
});

const blocks = new Map(
  pages.flatMap(readBlocks).flatMap(({ page, line, language, text }) => {
    if (language !== "ts" && language !== "tsx") return [];
    // The file is next to the page, so that its imports resolve from there.
    return [[`${page}.${line}.${language}`, text] as const];
  }),
);
const examples = new Map(listFiles(/^examples\/.*\.tsx?$/).map((path) => [path, textOf(path)]));

describe("commands in pages", () => {
  test.each(pages)("%s uses only shell variables that it has set before", (page) => {
    let before = "";
    const unset = readBlocks(page)
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => {
        const earlier = before;
        before += text;
        return [...text.matchAll(/\$\{?([A-Z_]+)/g)].flatMap(({ 1: name = "", index }) =>
          new RegExp(`\\b${name}=`).test(earlier + text.slice(0, index)) ? [] : [name],
        );
      });
    expect(unset).toEqual([]);
  });
});

describe("code in pages and examples", () => {
  let users: LibraryUsers;
  beforeAll(() => {
    users = compileLibraryUsers(new Map([...blocks, ...examples]));
  });

  test.each([...blocks.keys(), ...examples.keys()])("%s compiles in a strict project", (file) => {
    expect(users.faultsOf(file)).toEqual([]);
  });

  test.each([
    ["docs/first-sale.md", "shop.ts", "examples/express/shop.ts"],
    ["docs/first-sale.md", "buy.ts", "examples/agent/buy.ts"],
    ["docs/first-agent.md", "buy.ts", "examples/agent/buy.ts"],
  ])("%s prints %s as in %s", (page, name, example) => {
    const printed = readBlocks(page).find(({ text }) => text.startsWith(`// ${name}\n`));
    expect(printed?.text).toBe(`// ${name}\n${textOf(example)}`);
  });

  const onSandbox = pages.flatMap(readBlocks).filter(({ text }) => text.includes("...sandbox("));
  test.each(onSandbox.map(({ page, line }) => [page, line] as const))(
    "%s says how to go live with the block in line %d",
    (page, line) => {
      const lines = textOf(page).split("\n");
      const next = lines.findIndex((text, index) => index > line && /^#+ .*[a-z]/.test(text));
      const behind = lines.slice(line, next < 0 ? undefined : next).join("\n");
      const hasSection = lines.some((text) => /^## .*Go live$/.test(text));
      expect(hasSection || /To go live, |Without `\.\.\.sandbox\(\)` it /.test(behind)).toBe(true);
    },
  );

  test.each(listFiles(/^lib\/x402\/.*\.ts$/).filter((path) => /@example/.test(textOf(path))))(
    "the example in %s pays the account of the sandbox only there",
    (path) => {
      const examples = [...textOf(path).matchAll(/@example(.*?)\*\//gs)].map(([, text = ""]) => text);
      const live = examples.filter((text) => text.includes('"shop"') && !text.includes("...sandbox("));
      expect(live).toEqual([]);
    },
  );

  const payments = "docs/payments.md";
  test("payments.md lists exactly the reasons for refusals", () => {
    expect(namesIn(payments, "Why a payment was refused").sort()).toEqual(
      [
        ...users.membersOf("hivegate/facilitator", "Reason"),
        // Codes of a facilitator that can't work, and of a paywall.
        ...["degraded", "rate_limited", "internal", "payment_required", "payment_rejected"],
        ...[
          "facilitator_unavailable",
          "invalid_claim",
          "not_purchased",
          "sign_in_unavailable",
          ...rejectionCodes,
        ],
        ...refusalCodes.filter((code) => code.startsWith("invalid_siwx_")),
      ].sort(),
    );
  });

  test("payments.md lists exactly the codes of PaymentError", () => {
    const codes = users.membersOf("hivegate/client", "PaymentErrorCode");
    expect(namesIn(payments, "Why the client did not pay")).toEqual(codes.sort());
  });

  test.each([
    ...pages,
    ...examples.keys(),
    ...listFiles(/^(app|lib)\/.*\.tsx?$/).filter((path) => /PaymentError\b/.test(textOf(path))),
  ])("%s does not call a PaymentError unpaid without naming the exceptions", (page) => {
    const isClaim =
      /PaymentError\b.*(nothing (was|is) |charges nothing|no cobra|no se pagó)|not paid: \$\{|instead of paying\. /i;
    const claims = textOf(page)
      // A comment of several lines is one claim.
      .replace(/\n *\* /g, " ")
      .split("\n")
      .filter((line) => !line.startsWith("#") && isClaim.test(line));
    const exceptions = ["redirected_after_payment", "too_many_under_way"];
    expect(claims.filter((line) => !exceptions.every((code) => line.includes(code)))).toEqual([]);
  });

  test.each([
    ...pages,
    ...examples.keys(),
    ...listFiles(/^(app|lib)\/.*\.tsx?$/).filter((path) => /RefundError\b/.test(textOf(path))),
  ])("%s does not say that a RefundError sent nothing without naming already_refunded", (page) => {
    const isClaim = /(RefundError|refunds? |refunded)\b.*(nothing was sent|sent nothing|sent no transfer)/i;
    const claims = textOf(page)
      .replace(/\n *\* /g, " ")
      .split("\n")
      .filter((line) => isClaim.test(line));
    expect(claims.filter((line) => !line.includes("already_refunded"))).toEqual([]);
  });

  test("payments.md has the same remedies as OpenAPI", () => {
    const cellsIn = (heading: string) =>
      sectionOf(payments, heading)
        .split("\n")
        .filter((line) => line.startsWith("| `"))
        .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
    const refusals = cellsIn("Why a payment was refused");
    for (const reason of reasons)
      expect(refusals.find(([, name]) => name === reason)?.[3], reason).toBe(
        refusalRemedies[reason].replaceAll("`", ""),
      );
    for (const code of rejectionCodes)
      expect(refusals.find(([, name]) => name === code)?.[3], code).toBe(
        rejectionRemedies[code].replaceAll("`", ""),
      );
    const unpaid = cellsIn("Why the client did not pay");
    for (const [code, { text, remedy }] of Object.entries(clientRemedies))
      expect(unpaid.find(([, name]) => name === code)?.slice(2, 4), code).toEqual(
        [text, remedy].map((words) => words.replaceAll("`", "")),
      );
  });

  test("payments.md lists exactly the codes of FacilitatorError", () => {
    const codes = users.membersOf("hivegate/facilitator", "FacilitatorErrorCode");
    expect(namesIn(payments, "Why the facilitator has no answer")).toEqual(codes.sort());
  });

  test("payments.md lists exactly the codes of RefundError", () => {
    const codes = users.membersOf("hivegate/refunds", "RefundErrorCode");
    expect(namesIn(payments, "Refunds")).toEqual(codes.sort());
  });

  test("payments.md lists exactly the codes of BypassError", () => {
    const codes = users.membersOf("hivegate/node", "BypassErrorCode");
    expect(namesIn(payments, "If your code throws")).toEqual(codes.sort());
  });

  test("the library's README lists exactly the codes of its errors", () => {
    expect(namesIn("lib/publish/README.md", "Errors")).toEqual(
      [
        ...new Set([
          ...users.membersOf("hivegate/client", "PaymentErrorCode"),
          ...users.membersOf("hivegate/facilitator", "FacilitatorErrorCode"),
          ...users.membersOf("hivegate/chat", "ChatErrorCode"),
        ]),
      ].sort(),
    );
  });

  test.each([
    ["The paywall's options", "hivegate/next", "WithPaywallOptions"],
    ["The client's options", "hivegate/client", "PayingFetchOptions"],
    ["The facilitator's options", "hivegate/facilitator", "FacilitatorOptions"],
  ])("payments.md lists under '%s' exactly the options of %s", (heading, subpath, type) => {
    expect(namesIn(payments, heading)).toEqual(users.propertiesOf(subpath, type).sort());
  });

  test("chat-client.md lists exactly the methods of the chat client", () => {
    const methods = Object.entries(createChatClient({ baseUrl: "http://localhost", token: "t" })).flatMap(
      ([name, value]) => {
        if (typeof value === "string") return [];
        return typeof value === "function" ? [name] : Object.keys(value).map((inner) => `${name}.${inner}`);
      },
    );
    const firstCells = sectionOf("docs/chat-client.md", "Methods").matchAll(/^\| `([^`]+)`/gm);
    expect([...firstCells].map(([, name]) => name).sort()).toEqual(methods.sort());
  });

  test("chat-client.md lists exactly the events and options of the chat client", () => {
    const page = "docs/chat-client.md";
    const firstCellsOf = (heading: string) =>
      [...sectionOf(page, heading).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name).sort();
    expect(firstCellsOf("Events")).toEqual(users.propertiesOf("hivegate/chat", "ChatEvents").sort());
    const options = users.propertiesOf("hivegate/chat", "SessionOptions");
    expect(firstCellsOf("Creating")).toEqual([...options, "WebSocket", "session", "trace"].sort());
  });

  test("chat.md lists every event of the chat client", () => {
    const several = ["channels_viewed", "channels_changed", "threads_changed"];
    const own = ["frame", "state", "gap", "resumed", "error", ...several];
    const events = users.propertiesOf("hivegate/chat", "ChatEvents").filter((name) => !own.includes(name));
    const named = namesIn("docs/chat.md", "Frames");
    expect(events.filter((name) => !named.includes(name))).toEqual([]);
    expect(several.filter((name) => !textOf("docs/chat.md").includes(`\`${name}\` for`))).toEqual([]);
  });
});

describe("lists in pages", () => {
  test("operations.md lists exactly the settings", () => {
    expect(namesIn("docs/operations.md", "Settings").filter((name) => /^[A-Z0-9_]+$/.test(name))).toEqual(
      Object.keys(Settings.shape).sort(),
    );
  });

  test("operations.md lists the right defaults", () => {
    const written = new Map(rowsOf("docs/operations.md", "Settings"));
    for (const [name, schema] of Object.entries(Settings.shape)) {
      const parsed = schema.safeParse(undefined);
      const isPlain = parsed.success && ["string", "number"].includes(typeof parsed.data);
      if (isPlain) expect(written.get(name), name).toBe(`\`${parsed.data}\``);
    }
  });

  test("operations.md lists exactly the codes of seeding", () => {
    expect(namesIn("docs/operations.md", "A new Mattermost")).toEqual([...seedErrorCodes].sort());
  });

  test("chat.md lists exactly the error codes with their status", () => {
    expect(rowsOf("docs/chat.md", "Errors").sort()).toEqual(
      errorTable.map(({ code, status }) => [code, String(status)]).sort(),
    );
  });

  test("chat.md lists the right limits", () => {
    const limits = sectionOf("docs/chat.md", "Limits");
    const [byClient, byAccount] = bootstrapLimits;
    expect([writeLimit.windowSeconds, byClient?.windowSeconds, byAccount?.windowSeconds]).toEqual([
      1, 60, 60,
    ]);
    expect(limits).toContain(`${writeLimit.requests} a second`);
    expect(limits).toContain(
      `${byClient?.requests} a minute for each client address, ${byAccount?.requests} for`,
    );
    expect(limits).toMatch(new RegExp(`websockets of one user +\\| ${MAX_SOCKETS_OF_A_USER} `));
    const longest = Number(/([\d,]+) characters/.exec(limits)?.[1]?.replace(",", ""));
    expect(NewPostRequest.safeParse({ message: "x".repeat(longest) }).success).toBe(true);
    expect(NewPostRequest.safeParse({ message: "x".repeat(longest + 1) }).success).toBe(false);
    const mostPosts = /posts in a page[^|]*\| (\d+)/.exec(limits)?.[1];
    expect(PostsQuery.safeParse({ per_page: mostPosts }).success).toBe(true);
    expect(PostsQuery.safeParse({ per_page: String(Number(mostPosts) + 1) }).success).toBe(false);
  });

  test("chat.md lists every event that the sandbox sends", () => {
    const sent = listFiles(/^sandbox\/mattermost\/.*\.ts$/).flatMap((path) =>
      [...textOf(path).matchAll(/event: "(\w+)"/g)].map(([, name = ""]) => name),
    );
    const named = namesIn("docs/chat.md", "Frames");
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter((name) => !named.includes(name))).toEqual([]);
  });

  test("chat.md lists every close code of the gateway and its client", () => {
    const chosen = listFiles(/^lib\/(chat|chat-client)\/.*\.ts$/).flatMap((path) =>
      [...textOf(path).matchAll(/^(?:export )?const [A-Z_]+ = (1[0-9]{3}|4[0-9]{3});$/gm)]
        .map(([line, code = ""]) => (/_MS|_BYTES|MAX_/.test(line) ? "" : code))
        .filter((code) => code !== ""),
    );
    const written = sectionOf("docs/chat.md", "Close codes");
    expect(new Set(chosen)).toEqual(new Set(["1008", "1012", "4000", "4001"]));
    expect([...new Set(chosen)].filter((code) => !new RegExp(`^\\| ${code} `, "m").test(written))).toEqual(
      [],
    );
  });

  test("first-sale.md lists every account of the sandbox with its initial HBD", () => {
    const line = sectionOf("docs/first-sale.md", "1. Start the sandbox")
      .split("\n")
      .find((row) => row.startsWith("| accounts"));
    for (const { name, hbdMils } of sandboxAccounts)
      expect(line).toMatch(new RegExp(`\`${name}\`[^,|]* ${hbdMils / 1000}[ ,]`));
  });
});
