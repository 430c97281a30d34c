export type SearchTerms = {
  words: string[];
  excluded: string[];
  hashtags: string[];
  from: string[];
  notFrom: string[];
  in: string[];
  notIn: string[];
  /** Milliseconds, both inclusive bounds of creation. */
  since: number;
  until: number;
};

const DAY_MS = 86_400_000;
/** What comes after is left out: a longer query would be too deep for the index. */
const MAX_PARTS = 100;

function dayStart(text: string, offsetSeconds: number): number | null {
  if (!/^\d{4}-\d{1,2}-\d{1,2}$/.test(text)) return null;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return Date.UTC(year, month - 1, day) - offsetSeconds * 1000;
}

/** Narrows the time by `before:`, `after:` or `on:`; false when the modifier is none of these or its day is no day. */
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

/** What a search text asks for: words, "phrases", -without, from:, in:, before:, after:, on: and #hashtags. */
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
      (isExcluded ? terms.notIn : terms.in).push(value.replace(/^[~@]/, "").toLowerCase());
    } else if (narrow(terms, key, value, timeZoneOffsetSeconds)) continue;
    else if (body.startsWith("#") && !isExcluded) terms.hashtags.push(body);
    else (isExcluded ? terms.excluded : terms.words).push(body);
  }
  return terms;
}
