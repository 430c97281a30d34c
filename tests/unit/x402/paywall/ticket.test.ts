import { describe, expect, test } from "vitest";
import { createTicket, readTicket } from "#lib/x402/paywall/ticket.ts";
import { holdsTicketMemo, isTicket, isTicketMemo, memoOfTicket } from "#lib/x402/ticket-memo.ts";

const secret = new TextEncoder().encode("secret");
const network = "chain:mainnet";
const place = "GET https://shop.example/article";
const terms = { amount: "999999999999.999 HBD", payTo: "a-name-of-16.abc", place, endMs: 1_800_000_000_000 };
const flip = (ticket: string, index: number) =>
  ticket.slice(0, index) + (ticket[index] === "A" ? "B" : "A") + ticket.slice(index + 1);

describe("a ticket", () => {
  test("holds its terms for its own place, network and secret", () => {
    const ticket = createTicket(secret, network, terms);
    expect(isTicket(ticket)).toBe(true);
    expect(readTicket([secret], { network, place }, ticket)).toEqual(terms);
    expect(readTicket([new Uint8Array(3), secret], { network, place }, ticket)).toEqual(terms);
    expect(readTicket([new Uint8Array(3)], { network, place }, ticket)).toBeNull();
    expect(readTicket([secret], { network: "chain:sandbox", place }, ticket)).toBeNull();
    expect(readTicket([secret], { network, place: `${place}/2` }, ticket)).toBeNull();
  });

  test("is refused after a change of any of its characters", () => {
    const ticket = createTicket(secret, network, terms);
    for (let index = 0; index < ticket.length; index++)
      expect(readTicket([secret], { network, place }, flip(ticket, index))).toBeNull();
  });

  test("differs from every other ticket of the same terms", () => {
    expect(createTicket(secret, network, terms)).not.toBe(createTicket(secret, network, terms));
  });
});

test("a memo is the beginning of the SHA-256 of its ticket in base32", () => {
  // From `printf %s abc | sha256sum | cut -c-40 | xxd -r -p | base32`.
  expect(memoOfTicket("abc")).toBe("x402:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYND");
  expect(isTicketMemo(memoOfTicket("abc"))).toBe(true);
  expect(isTicketMemo(`x402:${"0".repeat(32)}`)).toBe(false);
});

test("a memo holds a ticket's memo with whitespace around it, and with nothing else", () => {
  const memo = memoOfTicket("abc");
  for (const sent of [memo, ` ${memo}`, `${memo}\r\n`, `\t${memo}\u00a0`])
    expect(holdsTicketMemo(sent)).toBe(true);
  for (const sent of [`${memo}.`, `${memo} thanks`, memo.replace(":", ": "), memo.toLowerCase()])
    expect(holdsTicketMemo(sent)).toBe(false);
  expect(isTicketMemo(`${memo} `)).toBe(false);
});
