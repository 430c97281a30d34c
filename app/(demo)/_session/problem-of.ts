import { ChatError } from "../../../lib/chat-client/index.ts";
import { strings } from "./problem-texts.en.ts";

/** Describes an error in the language of the page: by the refusal's code, or as a missing answer. */
export function problemOf(error: unknown): string {
  const { problems } = strings;
  if (!(error instanceof ChatError)) return problems.other;
  return problems[error.status === 0 ? "offline" : error.code] ?? problems.other;
}
