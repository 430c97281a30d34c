import fc, { type Arbitrary } from "fast-check";

/**
 * Latin-1 text whose bytes are invalid UTF-8: a surrogate, an overlong slash, and a truncated and a lone
 * continuation.
 */
const brokenUtf8 = ["\xed\xa0\x80", "\xc0\xaf", "\xe2\x82", "\x80", "\xff\xfe"];

/** Texts that break programs, without line breaks, which would end the surrounding line. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\x00",
    "%00",
    "%",
    "%zz",
    "%ff",
    "%c0%af",
    "%ed%a0%80",
    "..",
    "../..",
    "..%2f..%2f",
    "__proto__",
    "constructor",
    "null",
    "undefined",
    "NaN",
    "-0",
    "1e999",
    "9".repeat(400),
    "{{7*7}}",
    "<script>alert(1)</script>",
    "'\"`;--",
    "a".repeat(3000),
    "{pat}",
    "{user}",
    "{channel}",
    "z".repeat(26),
    "hive-100001",
    "alice",
    ...brokenUtf8,
  ),
  fc.string({ unit: "binary-ascii", maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, "")),
);
