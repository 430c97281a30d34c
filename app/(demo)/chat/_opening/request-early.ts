import { openEarlyAnswers, SENT_ANSWER } from "../../_session/early-answers.ts";
import type { Opening } from "./opening.ts";

/** Requests the data shown first, and keeps the answers for the chat, which takes them once it has loaded. */
export function requestEarly({ paths, sent }: Opening): void {
  const answers = openEarlyAnswers();
  for (const path of paths) answers[path] = fetch(path).catch(() => null);
  if (sent !== null) answers[sent] = readSentAnswer();
}

/** Reads the answer that came with the page once the page is complete, or null if none came. */
function readSentAnswer(): Promise<Response | null> {
  return new Promise((resolve) => {
    const read = () => {
      const answer = document.getElementById(SENT_ANSWER);
      resolve(answer && new Response(answer.textContent));
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", read);
    else read();
  });
}
