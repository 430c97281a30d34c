import { writeAmount } from "./amounts.ts";
import type { Target } from "./pay.ts";

/** The message that a link of this chat leads to; null for every other link. */
export function postIdOf(postUrl: string): string | null {
  const id = URL.canParse(postUrl, "http://here")
    ? new URL(postUrl, "http://here").searchParams.get("post")
    : null;
  return id !== null && /^[a-z0-9]{26}$/.test(id) ? id : null;
}

/** What is paid to tip somebody, for the message that the link leads to or as a person. */
export function tipTarget(to: string, millis: number, postUrl: string): Target {
  const post = postIdOf(postUrl);
  const query = new URLSearchParams({ to, amount: writeAmount(millis), ...(post !== null && { post }) });
  return { method: "POST", url: `/api/demo/tips?${query}` };
}
