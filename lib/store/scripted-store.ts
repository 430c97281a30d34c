import { z } from "zod";
import { type Change, type Store, storeFailure } from "./store.ts";

/** The operations that both Redis clients have in common: running a Lua script and walking the keys. */
export type RedisTransport = {
  evaluate(script: string, keys: string[], args: string[]): Promise<unknown>;
  scan(cursor: string, pattern: string): Promise<{ cursor: string; keys: string[] }>;
  close(): Promise<void>;
};

/** The braces keep all keys in one slot of a cluster, as scripts with several keys require. */
const PREFIX = "{hivegate}:";
/** Lua unpacks fewer than 8,000 values at once. */
const MOST_READ_AT_ONCE = 1000;

const write = `
local function write(key, value, milliseconds)
  if milliseconds == "" then redis.call("SET", key, value) else redis.call("SET", key, value, "PX", milliseconds) end
end
`;

const scripts = {
  get: `return redis.call("GET", KEYS[1])`,
  getAll: `return redis.call("MGET", unpack(KEYS))`,
  set: `${write} write(KEYS[1], ARGV[2], ARGV[1]) return 1`,
  setIfAbsent: `${write}
    if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
    write(KEYS[1], ARGV[2], ARGV[1])
    return 1`,
  replace: `${write}
    if redis.call("GET", KEYS[1]) ~= ARGV[2] then return 0 end
    write(KEYS[1], ARGV[3], ARGV[1])
    return 1`,
  delete: `return redis.call("DEL", KEYS[1])`,
  deleteIf: `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`,
  /**
   * The keys are in the order of the change's fields. The first three arguments are the number of keys in
   * each field.
   */
  commit: `${write}
    local key, argument = 0, 3
    local function nextKey() key = key + 1 return KEYS[key] end
    local function nextArgument() argument = argument + 1 return ARGV[argument] end
    for _ = 1, tonumber(ARGV[1]) do
      local value = redis.call("GET", nextKey())
      if (value and "=" .. value or "") ~= nextArgument() then return 0 end
    end
    for _ = 1, tonumber(ARGV[2]) do write(nextKey(), nextArgument(), nextArgument()) end
    for _ = 1, tonumber(ARGV[3]) do redis.call("DEL", nextKey()) end
    while key < #KEYS do
      local set, member, score = nextKey(), nextArgument(), nextArgument()
      if score == "" then redis.call("ZREM", set, member) else redis.call("ZADD", set, score, member) end
    end
    return 1`,
  range: `return redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", ARGV[1], "LIMIT", "0", ARGV[2])`,
};

const Text = z.string().nullable();
const Texts = z.array(Text);
const Members = z.array(z.string());
const Flag = z.union([z.literal(0), z.literal(1)]).transform((flag) => flag === 1);

/**
 * Creates a store in Redis. Each method except `list` is one Lua script, so it is atomic for all processes
 * that share the server.
 */
export function createScriptedStore(transport: RedisTransport): Store {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (fault) {
      throw storeFailure(fault);
    }
  };
  const run = <T>(schema: z.ZodType<T>, script: string, keys: string[], args: string[] = []) =>
    guarded(async () =>
      schema.parse(
        await transport.evaluate(
          script,
          keys.map((key) => PREFIX + key),
          args,
        ),
      ),
    );

  return {
    get: (key) => run(Text, scripts.get, [key]),
    async set(key, value, ttlSeconds) {
      await run(Flag, scripts.set, [key], [milliseconds(ttlSeconds), value]);
    },
    setIfAbsent: (key, value, ttlSeconds) =>
      run(Flag, scripts.setIfAbsent, [key], [milliseconds(ttlSeconds), value]),
    replace: (key, expected, value, ttlSeconds) =>
      run(Flag, scripts.replace, [key], [milliseconds(ttlSeconds), expected, value]),
    delete: (key) => run(Flag, scripts.delete, [key]),
    deleteIf: (key, expected) => run(Flag, scripts.deleteIf, [key], [expected]),
    commit: (change) => run(Flag, scripts.commit, ...partsOf(change)),
    range: (set, upTo, limit) => run(Members, scripts.range, [set], [String(upTo), String(limit)]),
    async list(prefix, limit) {
      const keys = await guarded(() => findKeys(transport, PREFIX + prefix, limit));
      const values: Array<string | null> = [];
      for (let from = 0; from < keys.length; from += MOST_READ_AT_ONCE)
        values.push(...(await run(Texts, scripts.getAll, keys.slice(from, from + MOST_READ_AT_ONCE))));
      return keys.flatMap((key, index) => {
        const value = values[index];
        return typeof value === "string" ? [{ key, value }] : [];
      });
    },
    async ping() {
      await run(Flag, scripts.set, ["ping"], ["60000", ""]);
    },
    close: () => transport.close(),
  };
}

function partsOf({ expect, set = [], delete: deleted = [], scores = [] }: Change): [string[], string[]] {
  const keysOf = (entries: ReadonlyArray<readonly [string, ...unknown[]]>) => entries.map(([key]) => key);
  const keys = [...keysOf(expect), ...keysOf(set), ...deleted, ...keysOf(scores)];
  const wanted = expect.map(([, value]) => (value === null ? "" : `=${value}`));
  const written = set.flatMap(([, value, ttlSeconds]) => [value, milliseconds(ttlSeconds)]);
  const placed = scores.flatMap(([, member, score]) => [member, score === null ? "" : String(score)]);
  const counts = [expect.length, set.length, deleted.length].map(String);
  return [keys, [...counts, ...wanted, ...written, ...placed]];
}

const milliseconds = (ttlSeconds: number | undefined) =>
  ttlSeconds === undefined ? "" : String(Math.max(1, Math.round(ttlSeconds * 1000)));

/** Returns up to `limit` keys that start with a prefix, without the duplicates that a scan can return. */
async function findKeys(transport: RedisTransport, prefix: string, limit: number): Promise<string[]> {
  const found = new Set<string>();
  const pattern = `${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const page = await transport.scan(cursor, pattern);
    for (const key of page.keys) if (found.size < limit) found.add(key.slice(PREFIX.length));
    cursor = page.cursor;
  } while (cursor !== "0" && found.size < limit);
  return [...found];
}
