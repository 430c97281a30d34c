const TITLE = "Hivegate payment approval, version 1";
/** The language names of the blocks of code that carry a request and an answer in a message. */
const REQUEST_BLOCK = "hivegate-approval";
const SIGNATURE_BLOCK = "hivegate-signature";
const REFUSAL_BLOCK = "hivegate-refusal";

const MAX_REASON = 200;
/** Characters that display nothing or a space, although Unicode counts them as letters or symbols. */
const BLANKS = "\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0";
const INVISIBLE = new RegExp(`[\\p{C}\\p{Z}${BLANKS}]+`, "gu");
/** Marks beyond those of any script, which pile up over the lines above and below. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;
const QUOTES = /[\p{Pi}\p{Pf}"\u201a\u201e\u2e42\u301d-\u301f\uff02\u02ba\u02dd\u2033\u2036]/gu;

/** The progress of a request, as its agent reports it. */
export const approvalStates = [
  "waiting",
  "approved",
  "paid",
  "refused",
  "expired",
  /** It ended without a payment. */
  "unpaid",
  /** The agent signed a payment and does not know what became of it. */
  "unclear",
] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** The terms that an owner approves with one signature. */
export type ApprovalTerms = {
  /** The origin of the chat, such as "https://chat.example.com". */
  chat: string;
  /** 32 hex digits, chosen by the agent at random. */
  id: string;
  /** The account that pays. */
  agent: string;
  /** The account that approves. */
  owner: string;
  /** The price, such as "0.050 HBD". */
  amount: string;
  payTo: string;
  network: string;
  /** The address, without its query, which can contain secrets. */
  resource: string;
  /** A hash of the whole request. */
  request: string;
  /** The time in ISO 8601 after which an approval has no effect. */
  expiresAt: string;
  /** Text of the agent, which may contain words of others. It is in quotes in the signed text. */
  reason?: string | undefined;
};

type Line = readonly [label: string, name: keyof ApprovalTerms, shape: RegExp];

const account = /^[a-z][a-z0-9.-]{2,15}$/;
const hash = /^[0-9a-f]{64}$/;

/** The lines of the text after its title, in order. */
const lines: readonly Line[] = [
  ["Chat", "chat", /^https?:\/\/[!-~]{1,260}$/],
  ["Request", "id", /^[0-9a-f]{32}$/],
  ["Agent", "agent", account],
  ["Owner", "owner", account],
  ["Amount", "amount", /^\d{1,12}\.\d{3} HBD$/],
  ["Payee", "payTo", account],
  ["Network", "network", /^[!-~]{1,100}$/],
  ["Resource", "resource", /^[a-z]+:[!-_a-~]{1,2048}$/],
  ["Hash", "request", hash],
  ["Expires", "expiresAt", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
];
const REASON = "Reason";

/** Returns the text that the owner signs with the posting key. */
export function approvalText(terms: ApprovalTerms): string {
  const { reason } = terms;
  return [
    TITLE,
    ...lines.map(([label, name]) => `${label}: ${terms[name]}`),
    ...(reason === undefined ? [] : [`${REASON}: "${reason}"`]),
  ].join("\n");
}

/** Reads a text that `approvalText` wrote, or returns null for any other text. */
export function readApprovalText(text: string): ApprovalTerms | null {
  const [title, ...rows] = text.split("\n");
  if (title !== TITLE) return null;
  const terms: Partial<Record<keyof ApprovalTerms, string>> = {};
  for (const [label, name, shape] of lines) {
    const row = rows.shift() ?? "";
    const value = row.slice(label.length + 2);
    if (row !== `${label}: ${value}` || !shape.test(value)) return null;
    terms[name] = value;
  }
  const [reason, ...more] = rows;
  if (more.length > 0) return null;
  if (reason !== undefined) {
    const value = reason.slice(REASON.length + 3, -1);
    if (reason !== `${REASON}: "${value}"` || value === "" || cleanReason(value) !== value) return null;
    terms.reason = value;
  }
  return terms as ApprovalTerms;
}

/**
 * Returns a reason in one line, without characters that could hide, cover, reorder or end the text or leave its quotes;
 * undefined if none is left.
 */
export function cleanReason(reason: string): string | undefined {
  const line = reason
    .replaceAll(INVISIBLE, " ")
    .replaceAll(PILED_MARKS, "$1")
    .replaceAll("`", "'")
    .replaceAll(QUOTES, "'")
    .trim();
  return [...line].slice(0, MAX_REASON).join("").trim() || undefined;
}

/** A request for approval in a message. */
export type ApprovalRequest = {
  terms: ApprovalTerms;
  /** The text to sign. */
  text: string;
  state: ApprovalState;
};

/**
 * Writes the message that asks the owner. Every Mattermost client shows it. Text of sellers is code, in which no one is
 * mentioned.
 */
export function writeRequest(text: string, state: ApprovalState): string {
  const terms = readApprovalText(text);
  if (!terms) throw new TypeError("not an approval's text");
  const { owner, amount, payTo, resource, expiresAt } = terms;
  const price = `${amount} to ${payTo} for \`${resource}\``;
  const lead =
    state === "waiting"
      ? `@${owner}, may I pay ${price}? To approve, reply with a signature of this text by your posting key before ${expiresAt.slice(11, 16)} UTC.`
      : `${state.toUpperCase()}: ${price}.`;
  return `${lead}\n\n${block(`${REQUEST_BLOCK} ${state}`, text)}`;
}

/** Reads the request in a message, or returns null if there is none. */
export function readRequest(message: string): ApprovalRequest | null {
  const found = /(?:^|\n)```hivegate-approval ([a-z]+)\n([^`]*)\n```$/.exec(message);
  const state = approvalStates.find((one) => one === found?.[1]);
  const text = found?.[2] ?? "";
  const terms = readApprovalText(text);
  return state !== undefined && terms ? { terms, text, state } : null;
}

/** The owner's answer to a request: a signature of its text, or a refusal, which needs none. */
export type ApprovalAnswer = { signature: string } | { refuses: string };

/** Writes an answer below a sentence in the owner's language. */
export function writeAnswer(sentence: string, answer: ApprovalAnswer): string {
  return "signature" in answer
    ? `${sentence}\n\n${block(SIGNATURE_BLOCK, answer.signature)}`
    : `${sentence}\n\n${block(REFUSAL_BLOCK, answer.refuses)}`;
}

/**
 * Reads the answer in a message, or returns null if there is none. A signature is found in any text, so that an owner
 * can paste one from another program.
 */
export function readAnswer(message: string): ApprovalAnswer | null {
  const signature = /(?<![0-9a-z])[0-9a-f]{130}(?![0-9a-z])/.exec(message)?.[0];
  if (signature !== undefined) return { signature };
  const refuses = /(?:^|\n)```hivegate-refusal\n([0-9a-f]{32})\n```/.exec(message)?.[1];
  return refuses === undefined ? null : { refuses };
}

/** Returns the sentence of a message that `writeAnswer` wrote, or null for any other message. */
export function readSentence(message: string): string | null {
  return (
    /^([^\n]+)\n\n```hivegate-(?:signature\n[0-9a-f]{130}|refusal\n[0-9a-f]{32})\n```$/.exec(message)?.[1] ??
    null
  );
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
