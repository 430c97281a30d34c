/** The name under which a page's first script stores its requests, by path. */
export const EARLY_ANSWERS = "hivegateEarly";

type EarlyAnswers = Partial<Record<string, Promise<Response | null>>>;

/** The id of the element with the answer that the server sent with the page, as JSON. */
export const SENT_ANSWER = "sent-answer";

/** Creates the empty table of early answers, which the page's first script fills. */
export function openEarlyAnswers(): EarlyAnswers {
  const answers: EarlyAnswers = {};
  Object.assign(globalThis, { [EARLY_ANSWERS]: answers });
  return answers;
}

const earlyAnswers = (): EarlyAnswers =>
  (globalThis as { [EARLY_ANSWERS]?: EarlyAnswers })[EARLY_ANSWERS] ?? {};

/** Drops the early answers that were not taken. */
export function dropEarlyAnswers(): void {
  const answers = earlyAnswers();
  for (const path of Object.keys(answers)) delete answers[path];
}

/** Returns whether a path was requested early and its answer was not taken yet. */
export const isAskedEarly = (path: string): boolean => earlyAnswers()[path] !== undefined;

/** Takes the early answer of a request, once, or returns null if there is none or it is a refusal. */
export async function takeEarlyAnswer(address: string, { method }: RequestInit): Promise<Response | null> {
  const answers = earlyAnswers();
  const { pathname, search } = new URL(address);
  const path = pathname + search;
  if (method !== "GET" || !answers[path]) return null;
  const answer = answers[path];
  delete answers[path];
  const response = await answer;
  return response?.ok ? response : null;
}
