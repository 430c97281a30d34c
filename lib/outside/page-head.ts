import { Parser } from "htmlparser2";

/** A page's description of itself, verbatim; null for missing values. */
export type PageHead = { title: string | null; description: string | null; picture: string | null };

/** Maximum length of a value, in characters. */
const LONGEST_VALUE = 4096;
/** The maximum nesting to read; a real head is flat. */
const DEEPEST = 32;
const PIECE = 16_384;

/**
 * Reads the head of an HTML page, or its beginning: Open Graph's values first, then Twitter's, then the page's own.
 * Nothing after the head is read.
 */
export function readPageHead(html: string): PageHead {
  const told = new Map<string, string>();
  const tell = (name: string, text = "") => {
    const value = text.slice(0, LONGEST_VALUE).trim();
    if (value !== "" && !told.has(name)) told.set(name, value);
  };
  let isOver = false;
  let depth = 0;
  let title: string | null = null;
  const parser = new Parser({
    onopentag(name, { property, name: itsName, content }) {
      depth += 1;
      isOver ||= name === "body" || depth > DEEPEST;
      if (isOver) return;
      if (name === "title") title = "";
      if (name === "meta") tell((property ?? itsName ?? "").toLowerCase(), content);
    },
    ontext(text) {
      if (title !== null && title.length < LONGEST_VALUE) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === "title" && !isOver) tell("title", title ?? "");
      if (name === "title") title = null;
      isOver ||= name === "head";
    },
  });
  for (let at = 0; at < html.length && !isOver; at += PIECE) parser.write(html.slice(at, at + PIECE));
  parser.end();
  const first = (...names: string[]) => names.map((name) => told.get(name)).find(Boolean) ?? null;
  return {
    title: first("og:title", "twitter:title", "title"),
    description: first("og:description", "twitter:description", "description"),
    picture: first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"),
  };
}

const SNIFFED_BYTES = 2048;

/** Decodes a page by the character set in its `content-type`, or in the page, or else as UTF-8. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const beginning = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString("latin1");
  const charset = /charset\s*=\s*["']?([\w:.-]{1,40})/i;
  for (const label of [charset.exec(contentType)?.[1], charset.exec(beginning)?.[1]]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // An unknown character set is ignored.
    }
  }
  return new TextDecoder().decode(bytes);
}
