const MARKER = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
/** Any line ending that the formatter recognizes. */
const LINE_END = /\r\n?|\n/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Maximum sum of the nesting of all lines, which is more than anyone writes by hand. The formatter's time
 * grows with this sum; at the maximum it takes a fraction of a second.
 */
const MOST_NESTING = 1_500;

/**
 * Returns whether a text nests lists and quotations so deeply, in so many lines, that formatting it would
 * block the page.
 */
export function isDeeplyNested(text: string): boolean {
  let sum = 0;
  let present = 0;
  let fence = "";
  let isAfterBlank = false;
  for (const line of text.split(LINE_END)) {
    const [, mark = ""] = FENCE.exec(line) ?? [];
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    if (mark !== "") {
      fence = mark;
      present = 0;
      continue;
    }
    const isBlank = line.trim() === "";
    const depth = depthOf(line);
    // A line without a marker belongs to the list above it, unless it is separated and not indented.
    if (depth > 0) present = Math.max(depth, /^[ \t]/.test(line) ? present : 0);
    else if (isAfterBlank && /^\S/.test(line)) present = 0;
    sum += present;
    if (sum > MOST_NESTING) return true;
    isAfterBlank = isBlank;
  }
  return false;
}

/**
 * Returns the maximum number of lists and quotations that a line can be in, judging by its own markers: an
 * item inside another is indented by two or more.
 */
function depthOf(line: string): number {
  let markers = 0;
  let end = 0;
  MARKER.lastIndex = 0;
  while (MARKER.test(line)) {
    markers += 1;
    end = MARKER.lastIndex;
  }
  if (markers === 0) return 0;
  const indented = line.slice(0, end).replaceAll("\t", "    ").length - 2 * markers;
  return markers + Math.max(0, Math.floor(indented / 2));
}
