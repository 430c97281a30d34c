/** What a page says of itself, as it says it; null for what it does not say. */
export type PageHead = { title: string | null; description: string | null; picture: string | null };

/** In characters, before anything is read as an entity. */
const LONGEST_VALUE = 4096;
const MOST_ATTRIBUTES = 30;

/**
 * Reads the head of an HTML page, or the beginning of one: Open Graph's words, then Twitter's, then the page's own.
 * Whatever it is given is read once from front to back.
 */
export function readPageHead(html: string): PageHead {
  const told = new Map<string, string>();
  const tell = (name: string, text: string | undefined) => {
    const value = readEntities((text ?? "").slice(0, LONGEST_VALUE)).trim();
    if (value !== "" && !told.has(name)) told.set(name, value);
  };
  for (const { name, attributes, text } of tagsIn(html)) {
    if (name === "title") tell("title", text);
    if (name !== "meta") continue;
    tell(
      (attributes.get("property") ?? attributes.get("name") ?? "").toLowerCase(),
      attributes.get("content"),
    );
  }
  const first = (...names: string[]) => names.map((name) => told.get(name)).find(Boolean) ?? null;
  return {
    title: first("og:title", "twitter:title", "title"),
    description: first("og:description", "twitter:description", "description"),
    picture: first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"),
  };
}

/** What is inside is no markup, up to the closing tag. */
const rawTexts = new Set(["title", "script", "style", "textarea", "template", "noframes", "iframe", "xmp"]);

type Tag = { name: string; attributes: ReadonlyMap<string, string>; text?: string };

/** The opening tags up to the page's body, with the text of those that hold nothing else. */
function* tagsIn(html: string): Generator<Tag> {
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end === -1) return;
      at = end + 3;
      continue;
    }
    const name = wordAt(html, at + 1, /[a-z][a-z0-9-]{0,31}/iy).toLowerCase();
    if (name === "body" || /^<\/head\b/i.test(html.slice(at, at + 7))) return;
    if (name === "") {
      at += 1;
      continue;
    }
    const opened = readAttributes(html, at + 1 + name.length);
    if (!opened) return;
    at = opened.end;
    if (!rawTexts.has(name)) {
      yield { name, attributes: opened.attributes };
      continue;
    }
    const closing = new RegExp(`</${name}`, "gi");
    closing.lastIndex = at;
    const close = closing.exec(html);
    yield { name, attributes: opened.attributes, text: html.slice(at, close?.index) };
    if (!close) return;
    at = closing.lastIndex;
  }
}

function wordAt(text: string, at: number, form: RegExp): string {
  form.lastIndex = at;
  return form.exec(text)?.[0] ?? "";
}

/** The attributes from `at` to the tag's end; null where it has none. */
function readAttributes(html: string, start: number) {
  const attributes = new Map<string, string>();
  let at = start;
  for (;;) {
    at += wordAt(html, at, /[\s/]*/y).length;
    if (at >= html.length) return null;
    if (html[at] === ">") return { attributes, end: at + 1 };
    const name = wordAt(html, at, /[^\s/>=]*/y);
    // A sign of equality that follows nothing is passed over.
    at += name.length || 1;
    const sign = wordAt(html, at, /\s*=\s*/y);
    if (name === "" || sign === "") continue;
    at += sign.length;
    const quote = html[at] === '"' || html[at] === "'" ? html[at] : null;
    const end = quote ? html.indexOf(quote, at + 1) : at + wordAt(html, at, /[^\s>]*/y).length;
    if (end === -1) return null;
    const value = html.slice(quote ? at + 1 : at, end);
    if (attributes.size < MOST_ATTRIBUTES && !attributes.has(name.toLowerCase()))
      attributes.set(name.toLowerCase(), value);
    at = quote ? end + 1 : end;
  }
}

/** Those that titles are written with; others stay as they are written. */
const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", hellip: "…", middot: "·", bull: "•" },
  ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»" },
  ...{
    copy: "©",
    reg: "®",
    trade: "™",
    euro: "€",
    pound: "£",
    deg: "°",
    times: "×",
    iexcl: "¡",
    iquest: "¿",
  },
  ...{ aacute: "á", eacute: "é", iacute: "í", oacute: "ó", uacute: "ú", ntilde: "ñ", uuml: "ü", auml: "ä" },
  ...{ ouml: "ö", szlig: "ß", egrave: "è", agrave: "à", ccedil: "ç", Eacute: "É", Auml: "Ä", Ouml: "Ö" },
};

function readEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));?/gi, (all, decimal, hex, name) => {
    if (name) return named[name] ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

const SNIFFED_BYTES = 2048;

/** The text of a page by the character set that its `content-type` names, else the page itself, else UTF-8. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const beginning = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString("latin1");
  const charset = /charset\s*=\s*["']?([\w:.-]{1,40})/i;
  for (const label of [charset.exec(contentType)?.[1], charset.exec(beginning)?.[1]]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // A name that nobody knows tells nothing.
    }
  }
  return new TextDecoder().decode(bytes);
}
