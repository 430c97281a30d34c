import { assertion, endOfFile, parseError } from "../errors.ts";

const MAX_DEPTH = 200;
const blank = /[ \t\n\r]*/y;
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const escapes: Record<string, string> = { t: "\t", n: "\n", r: "\r" };

/**
 * Reads JSON as the nodes' library does, which differs from JSON.parse in what signatures are made over:
 * of two equal keys the FIRST counts, and of the escapes only \t \n \r \\ are known
 * (others lose their backslash: "\u0001" becomes "u0001").
 * @throws ChainFault for text that is no JSON.
 */
export function parseJson(text: string): unknown {
  let at = 0;

  const skipBlanks = () => {
    blank.lastIndex = at;
    blank.test(text);
    at = blank.lastIndex;
  };

  const peek = (): string => {
    if (at >= text.length)
      throw parseError(
        "Unexpected EOF: 11 eof_exception: End Of File\nstringstream\n    {}\n    sstream.cpp:109 peek",
      );
    return text.charAt(at);
  };

  const expect = (wanted: string) => {
    if (peek() !== wanted) throw parseError(`Expected '${wanted}' but read '${peek()}'`);
    at++;
  };

  const readText = (): string => {
    expect('"');
    let out = "";
    for (;;) {
      const character = peek();
      at++;
      if (character === '"') return out;
      if (character === "\\") {
        const escaped = peek();
        at++;
        out += escapes[escaped] ?? escaped;
      } else out += character;
    }
  };

  const readList = (depth: number): unknown[] => {
    expect("[");
    const list: unknown[] = [];
    skipBlanks();
    while (peek() !== "]") {
      if (list.length > 0) expect(",");
      list.push(readValue(depth));
      skipBlanks();
    }
    at++;
    return list;
  };

  const readObject = (depth: number): Record<string, unknown> => {
    expect("{");
    const entries = new Map<string, unknown>();
    let isFirst = true;
    skipBlanks();
    while (peek() !== "}") {
      if (!isFirst) expect(",");
      isFirst = false;
      skipBlanks();
      const key = readText();
      skipBlanks();
      expect(":");
      const value = readValue(depth);
      if (!entries.has(key)) entries.set(key, value);
      skipBlanks();
    }
    at++;
    return Object.fromEntries(entries);
  };

  const readWord = (): unknown => {
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    number.lastIndex = at;
    const match = number.exec(text);
    if (!match) throw parseError(`Unexpected char '${text.charCodeAt(at)}' in "${text.charAt(at)}"`);
    at = number.lastIndex;
    return Number(match[0]);
  };

  const readValue = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw assertion("depth <= JSON_MAX_RECURSION_DEPTH");
    skipBlanks();
    switch (peek()) {
      case "{":
        return readObject(depth + 1);
      case "[":
        return readList(depth + 1);
      case '"':
        return readText();
      default:
        return readWord();
    }
  };

  skipBlanks();
  if (at >= text.length) throw endOfFile();
  const value = readValue(0);
  skipBlanks();
  if (at < text.length) throw parseError("Unexpected content behind the value");
  return value;
}
