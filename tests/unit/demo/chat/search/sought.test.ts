import { describe, expect, it } from "vitest";
import { isSought, isSoughtIn, readSought } from "#app/(demo)/_chat/search/sought.ts";

const noon = (day: string) => new Date(`${day}T12:00:00`).getTime();
const said = (message: string, author = "bob", day = "2026-06-15") => ({ message, author, at: noon(day) });

describe("a search in the latest messages", () => {
  it.each([
    ["tap", "A Tapir", true],
    ["tap", "A zebra", false],
    ["canon*", "El Cañón", true],
    ["tapir zebra", "a zebra and a tapir", true],
    ['"a tapir"', "a zebra and a tapir", true],
    ['"a tapir"', "tapir a", false],
    ["tapir -zebra", "a tapir and a zebra", false],
    ["tapir -Zebra", "a tapir and a ZEBRA", false],
    ["tapir -zeb", "a tapir and a zebra", true],
    ["tapir -zeb*", "a tapir and a zebra", false],
    ['tapir -"a zebra"', "a tapir and a zebra", false],
    ['tapir -"a zebra"', "a tapir and one zebra", true],
    ["天气 -明天", "明天的天气", false],
    ["天气 -昨天", "明天的天气", true],
    ["well-known", "a well-known tapir", true],
    ["-", "a - b", true],
    ["#tapir", "a #tapir", true],
  ])("for %j matches %j: %s", (term, message, isTaken) => {
    expect(isSought(readSought(term), said(message))).toBe(isTaken);
  });

  it.each([
    ["x from:bob", true],
    ["x from:@Bob", true],
    ["x from:alice", false],
    ["x from:alice from:bob", true],
    ["x -from:bob", false],
    ["x -from:@bob", false],
    ["x -from:alice", true],
    ["from: bob x", true],
    ["x on:2026-06-15", true],
    ["x on:2026-6-15", true],
    ["x on:2026-06-14", false],
    ["x before:2026-06-15", false],
    ["x before:2026-06-16", true],
    ["x after:2026-06-15", false],
    ["x after:2026-06-14", true],
    ["x after:2026-06-01 before:2026-06-10", false],
    ["x before:soon", true],
  ])("for %j matches Bob's message of 15 June: %s", (term, isTaken) => {
    expect(isSought(readSought(term), said("x"))).toBe(isTaken);
  });

  it.each([
    ["x", true],
    ["x in:town", true],
    ["x in:~Town", true],
    ["x channel:town", true],
    ["x in:hall", false],
    ["x -in:town", false],
    ["x -channel:town", false],
    ["x -in:hall", true],
  ])("for %j covers the channel town: %s", (term, isTaken) => {
    expect(isSoughtIn(readSought(term), "town")).toBe(isTaken);
  });
});
