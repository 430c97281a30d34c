export type CodeToken = {
  /** `name` stands for anything with a value: a variable, an attribute, a property, a key, an option. */
  kind: "comment" | "string" | "number" | "keyword" | "name" | "added" | "removed" | "plain";
  text: string;
};

const script =
  "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined unknown var void while yield";
const compiled =
  "auto bool boolean break byte case catch chan char class const continue crate default defer do double else enum extends extern false final finally float fn for func go goto if impl implements import in int interface let long loop map match mod move mut namespace new nil null operator package private protected pub public range ref return select self short static string struct super switch template this throw throws trait true try type typedef union unsafe use using var virtual void where while";
const python =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield";
const shell =
  "case cd do done echo elif else esac exit export fi for function if in local return set then until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN USER VOLUME WORKDIR";
const query =
  "add all alter and as asc begin between by case column commit constraint create default delete desc distinct drop else end exists foreign from group having in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then union unique update values when where with";
const data = "false null true";

/**
 * The patterns of a family of languages: the first that matches at a position applies, and words count as
 * keywords if they are in the list.
 */
type Family = {
  parts: ReadonlyArray<readonly [kind: CodeToken["kind"], pattern: string]>;
  keywords?: string;
  ignoresCase?: boolean;
};

const DOUBLE = '"(?:\\\\.|[^"\\\\\\n])*"';
const SINGLE = "'(?:\\\\.|[^'\\\\\\n])*'";
const BACKTICK = "`(?:\\\\[^]|[^`\\\\])*`";
const SLASHES = "\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/";
const HASH = "(?<![^\\s])#[^\\n]*";

const NUMBER = "(?<![\\w$])(?:0x[\\da-fA-F]+|\\d[\\d_]*(?:\\.\\d+)?)(?![\\w$])";

const usual = (comment: string, strings = `${DOUBLE}|${SINGLE}`) =>
  [
    ["comment", comment],
    ["string", strings],
    ["number", NUMBER],
  ] as const;

const families: ReadonlyArray<readonly [names: string, family: Family]> = [
  [
    "js jsx mjs cjs javascript ts tsx mts typescript",
    { parts: usual(SLASHES, `${DOUBLE}|${SINGLE}|${BACKTICK}`), keywords: script },
  ],
  [
    "c h cpp c++ cs csharp go golang java kotlin kt rust rs scala swift php dart solidity",
    { parts: usual(SLASHES), keywords: compiled },
  ],
  [
    "css scss less",
    {
      parts: [
        ["comment", "\\/\\*[^]*?\\*\\/"],
        // A selector, or a rule with its condition.
        ["keyword", "[^\\s{};/](?:(?!\\/\\*)[^{};]){0,200}(?=\\{)|@[\\w-]+|!important\\b"],
        ["name", "(?<![\\w-])(?:[-\\w]+(?=\\s*:)|--[\\w-]+|\\$[\\w-]+)"],
        ["string", `${DOUBLE}|${SINGLE}`],
        [
          "number",
          "#[\\da-fA-F]{3,8}\\b|(?<![\\w-])[-+]?(?:\\d+(?:\\.\\d+)?|\\.\\d+)(?:%|[a-zA-Z]*)(?![\\w-])",
        ],
      ],
    },
  ],
  [
    "html xml svg vue svelte",
    {
      parts: [
        ["comment", "<!--[^]*?-->"],
        ["keyword", "<[!/?]?[A-Za-z][\\w:.-]*|[/?]?>"],
        ["name", "(?<![\\w:@.-])[\\w:@.-]+(?=\\s*=\\s*[\"'])"],
        // Between tags an apostrophe is literal.
        ["string", "(?=[\"'])(?<==\\s*)(?:\"[^\"]*\"|'[^']*')"],
        ["number", "&#?\\w+;"],
      ],
    },
  ],
  [
    "sh bash zsh shell console dockerfile make makefile",
    {
      parts: [
        ["comment", HASH],
        [
          "name",
          "\\$(?:\\w+|\\{[^}\\n]*\\}|[@#?*!$-])|(?<![\\w-])[A-Za-z_]\\w*(?=\\+?=)|(?<=\\s)--?[A-Za-z][\\w-]*",
        ],
        ["string", `${DOUBLE}|${SINGLE}`],
        ["number", NUMBER],
      ],
      keywords: shell,
    },
  ],
  [
    "yaml yml toml ini env",
    {
      parts: [
        ["name", "(?=[\\w.-])(?<=^[ \\t]*(?:- +)?)[\\w.-]+(?=[ \\t]*[:=])"],
        ["keyword", "^\\[.+\\]$"],
        ...usual(HASH),
      ],
      keywords: data,
    },
  ],
  ["json jsonc json5", { parts: [["name", `${DOUBLE}(?=\\s*:)`], ...usual(SLASHES)], keywords: data }],
  ["py python rb ruby", { parts: usual(HASH), keywords: python }],
  ["sql", { parts: usual("--[^\\n]*"), keywords: query, ignoresCase: true }],
];

/** Maximum length of highlighted code, because longer code would take too long. */
const MOST_CHARACTERS = 20_000;

const familyOf = (language: string) =>
  families.find(([names]) => names.split(" ").includes(language.toLowerCase()))?.[1];

function diffTokens(code: string): CodeToken[] {
  return code.split(/(?<=\n)/).map((text) => ({
    kind: text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "plain",
    text,
  }));
}

/**
 * Splits code into coloured and plain parts that together are the code. Code that is too long or in an
 * unknown language becomes one plain token.
 */
export function highlight(code: string, language: string): CodeToken[] {
  const plain: CodeToken[] = [{ kind: "plain", text: code }];
  if (code.length > MOST_CHARACTERS) return plain;
  if (/^(?:diff|patch)$/i.test(language)) return diffTokens(code);
  const family = familyOf(language);
  if (!family) return plain;
  const { parts, keywords = "", ignoresCase = false } = family;
  const known = new Set(keywords.split(" "));
  const groups = [...parts.map(([, source]) => `(${source})`), "[A-Za-z_$][\\w$]*"];
  const pattern = new RegExp(groups.join("|"), "gm");
  const tokens: CodeToken[] = [];
  let end = 0;
  const add = (kind: CodeToken["kind"], text: string) => {
    const last = tokens.at(-1);
    if (kind === "plain" && last?.kind === "plain") last.text += text;
    else if (text !== "") tokens.push({ kind, text });
  };
  for (const match of code.matchAll(pattern)) {
    const [text, ...found] = match;
    add("plain", code.slice(end, match.index));
    end = match.index + text.length;
    const part = parts[found.findIndex((one) => one !== undefined)];
    if (part) add(part[0], text);
    else add(known.has(ignoresCase ? text.toLowerCase() : text) ? "keyword" : "plain", text);
  }
  add("plain", code.slice(end));
  return tokens;
}
