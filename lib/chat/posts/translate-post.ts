import { z } from "zod";
import { createSizedCache } from "../../async/cache.ts";
import { readBytes } from "../../async/read-body.ts";
import { createSharedTurns, createTurns } from "../../async/turns.ts";
import type { Config } from "../../config.ts";
import type { Translation } from "../../contract/answers.ts";
import { LONGEST_TRANSLATED } from "../../contract/limits.ts";
import { CodedError } from "../../errors.ts";
import { log } from "../../log.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { readVisiblePost } from "./post.ts";

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const CACHE_CHARACTERS = 4_000_000;
const MOST_AT_ONCE = 4;
const MOST_WAITING = 40;

/** A translated text, and the language it was translated from. */
type Translated = Pick<Translation, "text" | "source">;

/**
 * Translates a message with the configured translator. The caller must be able to read the message. A
 * translation of the same version into the same language is cached for everyone.
 * @throws CodedError `not_found`, including without a translator; `invalid_request` for a message that is too
 * long and for a language that the translator does not support; `translation_unavailable`, `overloaded`
 */
export async function translatePost(
  context: CallerContext,
  channelId: string,
  postId: string,
  target: string,
  signal: AbortSignal,
): Promise<Translation> {
  const { chat } = context;
  const { translator } = chat.config;
  if (translator === null)
    throw new CodedError("not_found", { message: "Messages are not translated here." });
  const post = await readVisiblePost(context, postId);
  if (post.channel_id !== channelId || post.delete_at > 0) throw new CodedError("not_found");
  const text = post.message.trim();
  if (text === "")
    throw new CodedError("invalid_request", { message: "This message has no text to translate." });
  if ([...text].length > LONGEST_TRANSLATED)
    throw new CodedError("invalid_request", { message: "This message is too long to be translated." });
  const { kept, share } = chat.own("translations", () => ({
    kept: createSizedCache<Translated>(CACHE_CHARACTERS, (one) => one.text.length + 200),
    share: createSharedTurns<Translated>(createTurns({ places: MOST_AT_ONCE, mostWaiting: MOST_WAITING })),
  }));
  const key = `${postId}/${String(post.edit_at ?? 0)}/${target}`;
  const present = kept.get(key);
  if (present) return { ...present, target };
  const translation = await share(
    key,
    { person: await readOwnId(context) },
    () => ask(translator, text, target),
    signal,
  );
  kept.set(key, translation);
  return { ...translation, target };
}

const Answer = z.object({
  translatedText: z.string(),
  detectedLanguage: z.object({ language: z.string().max(35) }).nullish(),
});

/**
 * Calls LibreTranslate's `POST /translate`. The call continues if a caller disconnects, because others may be
 * waiting for the same text.
 */
async function ask(
  { url, key }: NonNullable<Config["translator"]>,
  text: string,
  target: string,
): Promise<Translated> {
  const body = { q: text, source: "auto", target, format: "text", ...(key && { api_key: key.reveal() }) };
  let status = 0;
  try {
    const response = await fetch(`${url}/translate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    const answered = await readLimited(response);
    if (status === 200) {
      const { translatedText, detectedLanguage } = Answer.parse(JSON.parse(answered));
      return { text: translatedText, source: detectedLanguage?.language ?? null };
    }
  } catch (error) {
    log().warn(
      { status, cause: (error as Error).name },
      "the translator returned no usable answer: see TRANSLATE_URL",
    );
    throw new CodedError("translation_unavailable", { cause: error });
  }
  // LibreTranslate answers 400 for an unsupported language; all other errors concern the operator.
  if (status === 400) {
    const issues = [{ path: "target", message: "can't be translated into" }];
    throw new CodedError("invalid_request", { issues });
  }
  log().warn({ status }, "the translator refused the request: check TRANSLATE_URL and TRANSLATE_KEY");
  throw new CodedError("translation_unavailable");
}

async function readLimited(response: Response): Promise<string> {
  const bytes = await readBytes(response.body, MAX_ANSWER_BYTES);
  if (!bytes) throw new RangeError("the answer is too large");
  return new TextDecoder().decode(bytes);
}
