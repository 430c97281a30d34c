export type SeenAnswer = { status: number; headers: Map<string, string>; body: string };

/**
 * Reads a server's output (Latin-1, one byte per character) as answers to messages with these methods.
 * `whole` counts the complete ones; the last of `answers` may lack the rest of its body.
 */
export function readAnswers(
  text: string,
  methods: readonly string[],
): { answers: SeenAnswer[]; whole: number; isUpgraded: boolean } {
  const answers: SeenAnswer[] = [];
  let whole = 0;
  let at = 0;
  for (;;) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0) return { answers, whole, isUpgraded: false };
    const [line = "", ...lines] = text.slice(at, end).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`this is no answer: ${JSON.stringify(line.slice(0, 80))}`);
    const headers = new Map(lines.map((header) => splitOnce(header)));
    at = end + 4;
    if (status === 101) return { answers, whole, isUpgraded: true };
    if (status < 200) continue;
    const isBodyless = methods[whole] === "HEAD" || status === 204 || status === 304;
    const body = isBodyless ? { text: "", end: at } : readBody(text, at, headers);
    answers.push({ status, headers, body: body.text });
    if (body.end === null) return { answers, whole, isUpgraded: false };
    whole += 1;
    at = body.end;
  }
}

function splitOnce(header: string): [string, string] {
  const colon = header.indexOf(":");
  return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
}

function readBody(
  text: string,
  start: number,
  headers: ReadonlyMap<string, string>,
): { text: string; end: number | null } {
  const length = headers.get("content-length");
  if (length !== undefined) {
    const end = start + Number(length);
    return { text: text.slice(start, end), end: text.length >= end ? end : null };
  }
  if (headers.get("transfer-encoding") !== "chunked") return { text: text.slice(start), end: null };
  let body = "";
  for (let at = start; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size) || text.length < lineEnd + size + 4) return { text: body, end: null };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + size + 4;
    if (size === 0) return { text: body, end: at };
  }
}
