import dhive from "@hiveio/dhive";
import { describe, expect, test } from "vitest";
import { Authority, isSatisfied } from "../../../lib/hive/authority.ts";
import { decodePublicKey } from "../../../lib/hive/public-key.ts";

const keyText = (name: string) => dhive.PrivateKey.fromSeed(name).createPublic().toString();
const key = (name: string) => decodePublicKey(keyText(name));
const authority = (
  threshold: number,
  keys: Record<string, number>,
  accounts: Record<string, number> = {},
): Authority => ({
  weight_threshold: threshold,
  key_auths: Object.entries(keys).map(([name, weight]) => [keyText(name), weight]),
  account_auths: Object.entries(accounts),
});
const loader = (accounts: Record<string, Authority>) => async (name: string) => accounts[name] ?? null;
const nobody = loader({});

describe("checking the keys of an authority", () => {
  test("accepts one key of sufficient weight", async () => {
    expect(await isSatisfied(authority(1, { a: 1 }), [key("a")], nobody)).toBe(true);
    expect(await isSatisfied(authority(1, { a: 1 }), [key("b")], nobody)).toBe(false);
    expect(await isSatisfied(authority(1, { a: 1 }), [], nobody)).toBe(false);
  });

  test("sums weights up to the threshold, so that one key of two is not enough", async () => {
    const twoOfThree = authority(2, { a: 1, b: 1, c: 1 });
    expect(await isSatisfied(twoOfThree, [key("a")], nobody)).toBe(false);
    expect(await isSatisfied(twoOfThree, [key("c"), key("a")], nobody)).toBe(true);
    expect(await isSatisfied(authority(10, { a: 1 }), [key("a")], nobody)).toBe(false);
    expect(await isSatisfied(authority(10, { a: 4, b: 6 }), [key("a"), key("b")], nobody)).toBe(true);
  });

  test("counts the same key once", async () => {
    expect(await isSatisfied(authority(2, { a: 1, b: 1 }), [key("a"), key("a")], nobody)).toBe(false);
  });

  test("accepts more keys than required", async () => {
    expect(await isSatisfied(authority(1, { a: 1 }), [key("x"), key("a")], nobody)).toBe(true);
  });

  test("accepts everyone at a threshold of zero, like the chain", async () => {
    expect(await isSatisfied(authority(0, {}), [], nobody)).toBe(true);
  });

  test("ignores invalid keys, and still reads the others", async () => {
    const broken: Authority = { ...authority(1, { a: 1 }) };
    broken.key_auths.unshift(["STMnonsense", 1], ["STM1111111111111111111111111111111114T1Anm", 1]);
    expect(await isSatisfied(broken, [key("b")], nobody)).toBe(false);
    expect(await isSatisfied(broken, [key("a")], nobody)).toBe(true);
  });

  test("stops at the fortieth member", async () => {
    const members = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, 1]));
    expect(await isSatisfied(authority(1, members), [key("m39")], nobody)).toBe(true);
    expect(await isSatisfied(authority(1, { ...members, m40: 1 }), [key("m40")], nobody)).toBe(false);
  });
});

describe("checking the accounts of an authority", () => {
  test("lets a listed account sign with its own authority", async () => {
    const load = loader({ carol: authority(1, { carol: 1 }) });
    expect(await isSatisfied(authority(1, { a: 1 }, { carol: 1 }), [key("carol")], load)).toBe(true);
    expect(await isSatisfied(authority(2, { a: 1 }, { carol: 1 }), [key("carol")], load)).toBe(false);
    expect(await isSatisfied(authority(2, { a: 1 }, { carol: 1 }), [key("carol"), key("a")], load)).toBe(
      true,
    );
  });

  test("ignores a partly satisfied account", async () => {
    const load = loader({ carol: authority(2, { x: 1, y: 1 }) });
    expect(await isSatisfied(authority(1, {}, { carol: 1 }), [key("x")], load)).toBe(false);
  });

  test("follows accounts two levels deep, not three", async () => {
    const load = loader({
      one: authority(1, {}, { two: 1 }),
      two: authority(1, { deep: 1 }, { three: 1 }),
      three: authority(1, { deeper: 1 }),
    });
    expect(await isSatisfied(authority(1, {}, { one: 1 }), [key("deep")], load)).toBe(true);
    expect(await isSatisfied(authority(1, {}, { one: 1 }), [key("deeper")], load)).toBe(false);
  });

  test("stops at a circle of accounts", async () => {
    const load = loader({ one: authority(1, {}, { two: 1 }), two: authority(1, {}, { one: 1 }) });
    expect(await isSatisfied(authority(1, {}, { one: 1 }), [key("a")], load)).toBe(false);
  });

  test("counts an account approved elsewhere without looking it up again", async () => {
    const asked: string[] = [];
    const known: Record<string, Authority> = {
      one: authority(2, {}, { leaf: 1 }),
      leaf: authority(1, { k: 1 }),
    };
    const load = async (name: string) => {
      asked.push(name);
      return known[name] ?? null;
    };
    expect(await isSatisfied(authority(1, {}, { one: 1, leaf: 1 }), [key("k")], load)).toBe(true);
    expect(asked).toEqual(["one", "leaf"]);
  });

  test("ignores an unknown account", async () => {
    expect(await isSatisfied(authority(1, {}, { ghost: 1 }), [key("a")], nobody)).toBe(false);
  });

  test("requests up to 125 accounts, including the account itself", async () => {
    let asked = 0;
    const wide = (prefix: string) =>
      authority(
        1,
        {},
        Object.fromEntries(Array.from({ length: 39 }, (_, index) => [`${prefix}${index}`, 1])),
      );
    const load = async (name: string) => {
      asked++;
      return name.length < 4 ? wide(`${name}x`) : authority(1, { nope: 1 });
    };
    expect(await isSatisfied(wide("r"), [key("a")], load)).toBe(false);
    expect(asked).toBe(124);
  });
});

test("reads an authority only in the chain's form", () => {
  expect(Authority.safeParse(authority(1, { a: 1 }, { carol: 1 })).success).toBe(true);
  for (const wrong of [
    {},
    { ...authority(1, {}), weight_threshold: "1" },
    { ...authority(1, {}), weight_threshold: -1 },
    { ...authority(1, {}), key_auths: [["STM", 70000]] },
    { ...authority(1, {}), account_auths: [["carol"]] },
  ])
    expect(Authority.safeParse(wrong).success).toBe(false);
});
