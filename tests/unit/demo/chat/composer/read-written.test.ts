import { describe, expect, test } from "vitest";
import { readWritten } from "#app/(demo)/_chat/composer/typed-text.ts";
import { splitMentions } from "#app/(demo)/_chat/message/mentions.ts";
import { strings } from "#app/(demo)/_chat/strings.en.ts";

const { composer } = strings;

describe("parsing written text", () => {
  test.each([
    ["  hello  ", { kind: "message", text: "hello" }],
    ["/me waves\nand goes", { kind: "message", text: "waves\nand goes", type: "me" }],
    ["/me is *very* sure", { kind: "message", text: "is *very* sure", type: "me" }],
    [" /me waves", { kind: "message", text: "/me waves" }],
    ["/me ", { kind: "malformed", problem: composer.emptyAct }],
    ["/me \u200b", { kind: "malformed", problem: composer.emptyAct }],
    ["/me\u200b", { kind: "malformed", problem: composer.emptyAct }],
    ["/me &nbsp;\n&#8203;", { kind: "malformed", problem: composer.emptyAct }],
    ["/me\u200bwaves", { kind: "message", text: "/me\u200bwaves" }],
    ["/measure it", { kind: "malformed", problem: composer.unknownCommand("measure") }],
    ["/tpi @bob 5", { kind: "malformed", problem: composer.unknownCommand("tpi") }],
    [" /tpi @bob 5", { kind: "message", text: "/tpi @bob 5" }],
    ["\n/shrug", { kind: "message", text: "/shrug" }],
    ["/home/alice/notes is full", { kind: "message", text: "/home/alice/notes is full" }],
    ["/ and /2", { kind: "message", text: "/ and /2" }],
    ["// what for?", { kind: "message", text: "// what for?" }],
    ["/tip @Bob ", { kind: "tip", username: "bob", mils: null }],
    ["/tip alice.hive", { kind: "tip", username: "alice.hive", mils: null }],
    ["/tip @bob 0.5", { kind: "tip", username: "bob", mils: 500 }],
    ["/tip bob 1,25 hbd", { kind: "tip", username: "bob", mils: 1250 }],
    ["/tip", { kind: "malformed", problem: composer.malformedTip(null) }],
    ["/tip \u2060", { kind: "malformed", problem: composer.malformedTip(null) }],
    ["/tpi\u200b", { kind: "malformed", problem: composer.unknownCommand("tpi") }],
    ["/tip @bob 0.0005", { kind: "malformed", problem: composer.malformedTip("0.0005") }],
    ["/tip @bob 0", { kind: "malformed", problem: composer.malformedTip("0") }],
    ["/tip @bob 5 HIVE", { kind: "malformed", problem: composer.malformedTip("5 HIVE") }],
    ["/tip @bob 100.001", { kind: "malformed", problem: composer.malformedTip("100.001") }],
    ["/tip two people", { kind: "malformed", problem: composer.malformedTip("people") }],
    ["/tipping is fun", { kind: "malformed", problem: composer.unknownCommand("tipping") }],
  ])("reads %j as %j", (text, written) => {
    expect(readWritten(text)).toEqual(written);
  });

  test.each([
    ["see ~town-square, please", ["~town-square"]],
    ["~a", []],
    ["~~gone~~ and a~tilde and /home/~alice", []],
    ["~one ~two", ["~one", "~two"]],
  ])("finds the channels of %j: %j", (text, names) => {
    const found = splitMentions(text).filter(({ kind }) => kind === "channel");
    expect(found.map((part) => part.text)).toEqual(names);
  });
});
