import type { ZodType, z } from "zod";
import { createSizedCache } from "../async/cache.ts";

/** Maximum length of all stored answers together. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Parses answers that many callers get alike, such as the latest page of a channel. */
export type RepeatedAnswers = {
  /**
   * Parses the answer to a GET of this path. If the last answer had the same text, returns the same value
   * without parsing it again, so no caller may change it.
   */
  parse<T extends ZodType>(schema: T, path: string, text: string): z.infer<T>;
};

/**
 * Creates an empty store of parsed answers. It grants no access: each caller gets only what Mattermost has
 * just sent to that caller.
 */
export function createRepeatedAnswers(mostCharacters = MOST_CHARACTERS): RepeatedAnswers {
  const last = createSizedCache<{ schema: ZodType; text: string; value: unknown }>(
    mostCharacters,
    ({ text }) => text.length,
  );
  return {
    parse<T extends ZodType>(schema: T, path: string, text: string): z.infer<T> {
      const known = last.get(path);
      if (known?.schema === schema && known.text === text) return known.value as z.infer<T>;
      const value = schema.parse(JSON.parse(text));
      last.set(path, { schema, text, value });
      return value;
    },
  };
}
