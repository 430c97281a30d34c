import { z } from "zod";
import type { Store } from "./store.ts";
import { storeFailure } from "./store-failure.ts";

/** What both Redis clients can do: run a Lua script and walk the keys. */
export type RedisTransport = {
  evaluate(script: string, keys: string[], args: string[]): Promise<unknown>;
  scan(cursor: string, pattern: string): Promise<{ cursor: string; keys: string[] }>;
  close(): Promise<void>;
};

/** The braces keep all keys in one slot of a cluster, where scripts over several keys need them. */
const PREFIX = "{hivegate}:";

const write = `
local function write(key, value, milliseconds)
  if milliseconds == "" then redis.call("SET", key, value) else redis.call("SET", key, value, "PX", milliseconds) end
end
`;

const scripts = {
  get: `return redis.call("GET", KEYS[1])`,
  getAll: `return redis.call("MGET", unpack(KEYS))`,
  set: `${write} write(KEYS[1], ARGV[2], ARGV[1]) return 1`,
  setAllIfAbsent: `${write}
    for _, key in ipairs(KEYS) do if redis.call("EXISTS", key) == 1 then return 0 end end
    for index, key in ipairs(KEYS) do write(key, ARGV[index + 1], ARGV[1]) end
    return 1`,
  replace: `${write}
    if redis.call("GET", KEYS[1]) ~= ARGV[2] then return 0 end
    write(KEYS[1], ARGV[3], ARGV[1])
    return 1`,
  delete: `return redis.call("DEL", KEYS[1])`,
  deleteIf: `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`,
};

const Text = z.string().nullable();
const Texts = z.array(Text);
const Flag = z.union([z.literal(0), z.literal(1)]).transform((flag) => flag === 1);

/** A store in Redis: each method is one Lua script, so it is atomic for all processes that share the server. */
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
      run(Flag, scripts.setAllIfAbsent, [key], [milliseconds(ttlSeconds), value]),
    setAllIfAbsent: (entries, ttlSeconds) =>
      run(
        Flag,
        scripts.setAllIfAbsent,
        entries.map(([key]) => key),
        [milliseconds(ttlSeconds), ...entries.map(([, value]) => value)],
      ),
    replace: (key, expected, value, ttlSeconds) =>
      run(Flag, scripts.replace, [key], [milliseconds(ttlSeconds), expected, value]),
    delete: (key) => run(Flag, scripts.delete, [key]),
    deleteIf: (key, expected) => run(Flag, scripts.deleteIf, [key], [expected]),
    async list(prefix, limit) {
      const keys = await guarded(() => findKeys(transport, PREFIX + prefix, limit));
      if (keys.length === 0) return [];
      const values = await run(Texts, scripts.getAll, keys);
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

const milliseconds = (ttlSeconds: number | undefined) =>
  ttlSeconds === undefined ? "" : String(Math.max(1, Math.round(ttlSeconds * 1000)));

/** A scan may show a key twice, and shows no order. */
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
