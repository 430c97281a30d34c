import type { Backend } from "../backend.ts";
import type { SqlValue } from "../database.ts";
import type { PostRow } from "../model/posts.ts";
import { parseSearch, type SearchTerms } from "./parse-search.ts";

const LIMIT = 100;

export type PostSearch = {
  userId: string;
  /** "" for every team. */
  teamId: string;
  terms: string;
  isAnyWordEnough: boolean;
  timeZoneOffsetSeconds: number;
  areArchivedIncluded: boolean;
  page: number;
};

/** One word or phrase for the full-text index; a star at the end of a word asks for its beginning. "" when no letters are left. */
function indexTerm(text: string): string {
  const isPrefix = text.endsWith("*");
  const plain = text.replace(/["*]/g, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return "";
  return `"${plain}"${isPrefix ? "*" : ""}`;
}

/** The query of the full-text index, "" when no word is asked for. */
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

/** Posts of the caller's channels that fit, newest first. A database search has one page: later ones are empty. */
export function searchPosts(backend: Backend, search: PostSearch): PostRow[] {
  if (search.page > 0) return [];
  const terms = parseSearch(search.terms, search.timeZoneOffsetSeconds);
  const query = indexQuery(terms, search.isAnyWordEnough);
  const isAskingNothing = query === "" && terms.words.length + terms.hashtags.length > 0;
  if (isAskingNothing) return [];
  const { where, values } = conditions(search, terms);
  const match = query === "" ? "" : "AND p.number IN (SELECT rowid FROM post_words WHERE post_words MATCH ?)";
  return backend.db.all(
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
