import { ChatError } from "../../../lib/chat-client/index.ts";
import { strings } from "./problem-texts.en.ts";

/** Returns the problem in the language of the page: by the code of the refusal, or that there was no answer. */
export function problemOf(error: unknown): string {
  const { problems } = strings;
  if (!(error instanceof ChatError)) return problems.other;
  return problems[error.status === 0 ? "offline" : error.code] ?? problems.other;
}
