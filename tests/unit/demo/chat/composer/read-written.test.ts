import { describe, expect, test } from "vitest";
import { readWritten } from "#app/(demo)/_chat/composer/typed-text.ts";
import { splitMentions } from "#app/(demo)/_chat/message/plain-text.tsx";

describe("what somebody means who writes", () => {
  test.each([
    ["  hello  ", { kind: "message", text: "hello" }],
    ["/me waves\nand goes", { kind: "message", text: "waves\nand goes", type: "me" }],
    ["/me is *very* sure", { kind: "message", text: "is *very* sure", type: "me" }],
    ["/measure it", { kind: "message", text: "/measure it" }],
    ["/tip @Bob ", { kind: "tip", username: "bob", millis: null }],
    ["/tip alice.hive", { kind: "tip", username: "alice.hive", millis: null }],
    ["/tip @bob 0.5", { kind: "tip", username: "bob", millis: 500 }],
    ["/tip bob 1,25 hbd", { kind: "tip", username: "bob", millis: 1250 }],
    ["/tip", { kind: "malformed", amount: null }],
    ["/tip @bob 0.0005", { kind: "malformed", amount: "0.0005" }],
    ["/tip @bob 0", { kind: "malformed", amount: "0" }],
    ["/tip @bob 5 HIVE", { kind: "malformed", amount: "5 HIVE" }],
    ["/tip @bob 100.001", { kind: "malformed", amount: "100.001" }],
    ["/tip two people", { kind: "malformed", amount: "people" }],
    ["/tipping is fun", { kind: "message", text: "/tipping is fun" }],
  ])("%j is %j", (text, written) => {
    expect(readWritten(text)).toEqual(written);
  });

  test.each([
    ["see ~town-square, please", ["~town-square"]],
    ["~a", []],
    ["~~gone~~ and a~tilde and /home/~alice", []],
    ["~one ~two", ["~one", "~two"]],
  ])("in %j the channels are %j", (text, names) => {
    const found = splitMentions(text).filter(({ kind }) => kind === "channel");
    expect(found.map((part) => part.text)).toEqual(names);
  });
});
