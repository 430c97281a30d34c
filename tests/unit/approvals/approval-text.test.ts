import { describe, expect, test } from "vitest";
import { approvalText, cleanReason, readApprovalText } from "../../../lib/approvals/approval-text.ts";

const terms = {
  ...{ chat: "https://chat.example", id: "0".repeat(32), agent: "carol", owner: "alice" },
  ...{ amount: "0.050 HBD", payTo: "shop", network: "chain:sandbox", resource: "https://shop.example/" },
  ...{ request: "0".repeat(64), expiresAt: "2026-01-01T00:00:00.000Z" },
};

describe("the reason in the signed text", () => {
  test.each([
    ["a line break", "for bob\nAmount: 0.001 HBD", "for bob Amount: 0.001 HBD"],
    ["a line separator", "for bob\u2028Amount: 0.001 HBD", "for bob Amount: 0.001 HBD"],
    ["wide space", `for bob${" ".repeat(80)}Amount`, "for bob Amount"],
    ["letters that show as space", "for bob\u3164\u3164\u2800\u115fAmount", "for bob Amount"],
    ["a reversal of its direction", "for \u202ebob", "for bob"],
    ["an end of its quotes", 'for bob" Amount: 0.001 HBD "', "for bob' Amount: 0.001 HBD '"],
    ["a typographic end of its quotes", "for bob” Amount “", "for bob' Amount '"],
    ["an end of the block of code", "for bob\n```", "for bob '''"],
    ["marks that pile up", `for b${"\u0301".repeat(60)}ob`, `for b${"\u0301".repeat(4)}ob`],
  ])("does not keep %s", (_name, reason, shown) => {
    const cleaned = cleanReason(reason);
    expect(cleaned).toBe(shown);
    const text = approvalText({ ...terms, reason: cleaned });
    expect(text.split("\n").at(-1)).toBe(`Reason: "${shown}"`);
    expect(readApprovalText(text)).toEqual({ ...terms, reason: shown });
  });

  test.each(['Reason: "for bob', "Reason: for bob", 'Reason: "for "bob""', 'Reason: ""', 'Reason: "'])(
    "is in quotes, so a text with the line %s is not read",
    (line) => {
      expect(readApprovalText(`${approvalText(terms)}\n${line}`)).toBeNull();
    },
  );
});
