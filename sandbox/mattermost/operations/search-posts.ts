import type { Mattermost } from "../context.ts";
import type { SqlValue } from "../database.ts";
import type { PostRow } from "../model/posts.ts";

const LIMIT = 100;

export type PostSearch = {
  userId: string;
  /** The team to search; "" for every team. */
  teamId: string;
  terms: string;
  isAnyWordEnough: boolean;
  timeZoneOffsetSeconds: number;
  areArchivedIncluded: boolean;
  page: number;
};

/** Stop words of an English database, which a search ignores even in quotes. */
const COMMON = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves she her hers herself it its " +
    "itself they them their theirs themselves what which who whom this that these those am is are was were be been being " +
    "have has had having do does did doing a an the and but if or because as until while of at by for with about against " +
    "between into through during before after above below to from up down in out on off over under again further then once " +
    "here there when where why how all any both each few more most other some such no nor not only own same so than too " +
    "very s t can will just don should now"
  ).split(" "),
);

/**
 * Returns one word or phrase for the full-text index, or "" if nothing is left to search for. A star at the
 * end of a word matches any word that begins with it.
 */
function indexTerm(text: string): string {
  const isPrefix = text.endsWith("*");
  const plain = text.replace(/["*]/g, " ").trim();
  const isCommon = COMMON.has(plain.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  if (isCommon || !/[\p{L}\p{N}]/u.test(plain)) return "";
  return `"${plain}"${isPrefix ? "*" : ""}`;
}

/** Returns the query for the full-text index, or "" if there are no words. */
function indexQuery(terms: SearchTerms, isAnyWordEnough: boolean): string {
  const words = terms.words.map(indexTerm).filter((term) => term !== "");
  const tags = terms.hashtags.map(indexTerm).filter((term) => term !== "");
  const wanted = [...words, ...tags.map((tag) => `hashtags : ${tag}`)].join(
    isAnyWordEnough ? " OR " : " AND ",
  );
  const unwanted = terms.excluded.map(indexTerm).filter((term) => term !== "");
  if (wanted === "" || unwanted.length === 0) return wanted;
  return `(${wanted}) NOT (${unwanted.join(" OR ")})`;
}

function conditions(search: PostSearch, terms: SearchTerms): { where: string[]; values: SqlValue[] } {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, list: readonly string[]) => {
    if (list.length === 0) return;
    where.push(condition);
    values.push(JSON.stringify(list));
  };
  add("u.username IN (SELECT value FROM json_each(?))", terms.from);
  add("u.username NOT IN (SELECT value FROM json_each(?))", terms.notFrom);
  add("c.name IN (SELECT value FROM json_each(?))", terms.in);
  add("c.name NOT IN (SELECT value FROM json_each(?))", terms.notIn);
  if (!search.areArchivedIncluded) where.push("c.delete_at = 0");
  return { where, values };
}

/**
 * Finds matching posts in the caller's channels, newest first. A database search has one page, and later ones
 * are empty.
 */
export function searchPosts(mattermost: Mattermost, search: PostSearch): PostRow[] {
  if (search.page > 0) return [];
  const terms = parseSearch(search.terms, search.timeZoneOffsetSeconds);
  const query = indexQuery(terms, search.isAnyWordEnough);
  const isAskingNothing = query === "" && terms.words.length + terms.hashtags.length > 0;
  if (isAskingNothing) return [];
  const { where, values } = conditions(search, terms);
  const match = query === "" ? "" : "AND p.number IN (SELECT rowid FROM post_words WHERE post_words MATCH ?)";
  return mattermost.db.all(
    `SELECT p.* FROM posts p
     JOIN channels c ON c.id = p.channel_id
     JOIN channel_members m ON m.channel_id = c.id AND m.user_id = ?
     JOIN users u ON u.id = p.user_id
     WHERE (? = '' OR c.team_id = ? OR c.team_id = '') AND p.delete_at = 0 AND p.original_id = ''
       AND substr(p.type, 1, 7) <> 'system_' AND p.create_at BETWEEN ? AND ?
       ${where.map((condition) => `AND ${condition}`).join(" ")} ${match}
     ORDER BY p.create_at DESC LIMIT ${LIMIT}`,
    search.userId,
    search.teamId,
    search.teamId,
    terms.since,
    terms.until,
    ...values,
    ...(query === "" ? [] : [query]),
  );
}

type SearchTerms = {
  words: string[];
  excluded: string[];
  hashtags: string[];
  from: string[];
  notFrom: string[];
  in: string[];
  notIn: string[];
  /** Bounds of the creation time in milliseconds, both inclusive. */
  since: number;
  until: number;
};

const DAY_MS = 86_400_000;
/** Maximum number of terms, because a longer query would be too deep for the index. */
const MAX_PARTS = 100;

function dayStart(text: string, offsetSeconds: number): number | null {
  if (!/^\d{4}-\d{1,2}-\d{1,2}$/.test(text)) return null;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return Date.UTC(year, month - 1, day) - offsetSeconds * 1000;
}

/** Narrows the time by `before:`, `after:` or `on:`. Returns false for other modifiers and invalid days. */
function narrow(terms: SearchTerms, modifier: string, value: string, offsetSeconds: number): boolean {
  const start = dayStart(value, offsetSeconds);
  if (start === null) return false;
  if (modifier === "before") terms.until = Math.min(terms.until, start - 1);
  else if (modifier === "after") terms.since = Math.max(terms.since, start + DAY_MS);
  else if (modifier === "on") {
    terms.since = Math.max(terms.since, start);
    terms.until = Math.min(terms.until, start + DAY_MS - 1);
  } else return false;
  return true;
}

/** Parses a search text: words, "phrases", -exclusions, from:, in:, before:, after:, on: and #hashtags. */
export function parseSearch(text: string, timeZoneOffsetSeconds: number): SearchTerms {
  const terms: SearchTerms = {
    words: [],
    excluded: [],
    hashtags: [],
    from: [],
    notFrom: [],
    in: [],
    notIn: [],
    since: 0,
    until: Number.MAX_SAFE_INTEGER,
  };
  const parts = text.matchAll(
    /-?(?:[a-z]+:\s*)?"[^"]*"|-?\b(?:from|in|channel|before|after|on):\s*\S+|\S+/giu,
  );
  for (const [part] of [...parts].slice(0, MAX_PARTS)) {
    const isExcluded = part.startsWith("-") && part.length > 1;
    const body = isExcluded ? part.slice(1) : part;
    const [, modifier = "", value = ""] = /^([a-z]+):\s*"?([^"]+)"?$/iu.exec(body) ?? [];
    const key = modifier.toLowerCase();
    if (key === "from") (isExcluded ? terms.notFrom : terms.from).push(value.replace(/^@/, "").toLowerCase());
    else if (key === "in" || key === "channel") {
      (isExcluded ? terms.notIn : terms.in).push(value.replace(/^[~@]/, ""));
    } else if (narrow(terms, key, value, timeZoneOffsetSeconds)) continue;
    else if (body.startsWith("#") && !isExcluded) terms.hashtags.push(body);
    else (isExcluded ? terms.excluded : terms.words).push(body);
  }
  return terms;
}
