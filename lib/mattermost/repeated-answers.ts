import type { ZodType, z } from "zod";
import { createSizedCache } from "../async/cache.ts";

/** Parses answers that often repeat, such as the latest page of a channel. */
export type RepeatedAnswers = {
  /**
   * Parses the answer to the request with this key. If the last answer had the same text, returns the same value
   * without parsing it again, so no caller may change it.
   */
  parse<T extends ZodType>(schema: T, key: string, text: string): z.infer<T>;
};

/**
 * Creates an empty store of parsed answers, up to this length of their keys and texts together. It grants no access: each
 * caller gets only what Mattermost has just sent to that caller.
 */
export function createRepeatedAnswers(mostCharacters: number): RepeatedAnswers {
  const last = createSizedCache<{ schema: ZodType; text: string; value: unknown; size: number }>(
    mostCharacters,
    ({ size }) => size,
  );
  return {
    parse<T extends ZodType>(schema: T, key: string, text: string): z.infer<T> {
      const known = last.get(key);
      if (known?.schema === schema && known.text === text) return known.value as z.infer<T>;
      const value = schema.parse(JSON.parse(text));
      last.set(key, { schema, text, value, size: key.length + text.length });
      return value;
    },
  };
}
