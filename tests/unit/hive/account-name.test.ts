import { expect, test } from "vitest";
import { isAccountName } from "../../../lib/hive/account-name.ts";

test.each(["alice", "a12", "hive-100001", "a-b", "abc.def", "x--y", "abcdefghijklmnop", "foo.bar-baz"])(
  "accepts %s as an account name",
  (name) => {
    expect(isAccountName(name)).toBe(true);
  },
);

test.each([
  "",
  "ab",
  "abcdefghijklmnopq",
  "Alice",
  " alice",
  "alice ",
  "alice\n",
  "@alice",
  "1abc",
  "-abc",
  "abc-",
  "ab.cde",
  "abc..def",
  "abc.",
  ".abc",
  "abc.1ef",
  "аlice",
  "alice_b",
])("refuses %j as an account name", (name) => {
  expect(isAccountName(name)).toBe(false);
});

test.each([[undefined], [null], [true], [["alice"]]])(
  "refuses %j, which is not a string, as an account name",
  (value) => {
    expect(isAccountName(value as unknown as string)).toBe(false);
  },
);
