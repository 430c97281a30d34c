import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RpcAnswer } from "../../harness/start-sandbox-chain.ts";
import { replayCases } from "./replay-cases.ts";
import { openStage, type Stage } from "./replay-stage.ts";

const recorded = JSON.parse(
  readFileSync(new URL("../../data/hived-answers.json", import.meta.url), "utf8"),
) as Record<string, unknown>;

const answers = new Map<string, unknown>();
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  for (const [name, ask] of replayCases(stage)) answers.set(name, await ask());
});
afterAll(() => stage.close());

/** Returns the parsed answer. Answers to raw requests were recorded as status and text. */
function unwrap(answer: unknown): unknown {
  const { status, body } = answer as { status?: number; body?: string };
  return body === undefined ? answer : { status, body: JSON.parse(body) };
}

/** Returns the comparable part of an answer: that it is a result, or an error's codes and name. */
function verdict(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(verdict);
  const { status, body, ...rpc } = unwrap(answer) as Partial<RpcAnswer> & { status?: number; body?: unknown };
  if (body !== undefined) return { status, body: verdict(body) };
  const { error } = rpc;
  return error
    ? { code: error.code, dataCode: error.data?.code, name: error.data?.name }
    : { isResult: "result" in rpc };
}

test("every recorded case is replayed, and no other", () => {
  expect([...answers.keys()].sort()).toEqual(Object.keys(recorded).sort());
});

test.each(Object.keys(recorded))("the sandbox answers %j like a real node", (name) => {
  expect(verdict(answers.get(name))).toEqual(verdict(recorded[name]));
});

/** Cases whose texts contain parts that differ from run to run, or internals of the node's code. */
const ownWords = new Set(["unknown from", "no funds", "bad json"]);
const blur = (text: string | undefined) => text?.replace(/\b[0-9a-f]{40}\b/g, "<id>");

describe("error texts", () => {
  const refused = Object.entries(recorded).filter(
    ([name, answer]) => (answer as RpcAnswer).error && !ownWords.has(name),
  );
  test.each(refused.map(([name]) => name))("match a real node's for %j", (name) => {
    const message = (answer: unknown) => blur((answer as RpcAnswer).error?.message);
    expect(message(answers.get(name))).toBe(message(recorded[name]));
  });
});

describe("result shapes", () => {
  const keysOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(keysOf)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
        : typeof value;
  const open = new Set(["create accounts", "get_config", "db get_config", "delayed_votes"]);
  const results = Object.entries(recorded).filter(
    ([name, answer]) => "result" in (answer as object) && !open.has(name),
  );

  test.each(results.map(([name]) => name))("have a real node's fields for %j", (name) => {
    const shape = (answer: unknown) => {
      const text = JSON.stringify((answer as RpcAnswer).result, (key, value) =>
        key === "delayed_votes" ? [] : value,
      );
      return keysOf(JSON.parse(text));
    };
    expect(shape(answers.get(name))).toEqual(shape(recorded[name]));
  });

  test("contain only constants that a real node has too", () => {
    const ours = (answers.get("get_config") as RpcAnswer).result as object;
    const theirs = (recorded.get_config as RpcAnswer).result as object;
    expect(Object.keys(theirs)).toEqual(expect.arrayContaining(Object.keys(ours)));
  });
});

test.each([
  "condenser get_version",
  "hardfork",
  "get_accounts order",
  "verify_authority condenser",
  "broadcast ok",
  "find_tx mempool",
  "  find by hf26 id",
  "  find by legacy id",
  "key refs",
])("the sandbox's result for %j equals a real node's", (name) => {
  const result = (answer: unknown) => {
    const { result: value } = answer as RpcAnswer;
    return typeof value === "object" && value && "chain_id" in value ? value.chain_id : value;
  };
  expect(result(answers.get(name))).toEqual(result(recorded[name]));
});
