export type Written =
  | { kind: "message"; text: string }
  /** Somebody is to be tipped; what was written is no message. */
  | { kind: "tip"; username: string }
  /** A command whose rest can't be understood. */
  | { kind: "malformed" };

/** The words with which a line may begin that is more than a message. */
export const commandNames = ["me", "tip"] as const;

const ACT = /^\/me\s+([\s\S]+)$/;
const TIP = /^\/tip(?:\s+([\s\S]*))?$/;
const ACCOUNT = /^@?([a-z][a-z0-9.-]{2,15})$/;

/** What somebody means who writes this: `/me waves` is an act, `/tip @bob` a tip, everything else is said. */
export function readWritten(text: string): Written {
  const said = text.trim();
  const act = ACT.exec(said)?.[1];
  if (act !== undefined) return { kind: "message", text: act.includes("*") ? act : `*${act.trim()}*` };
  const tip = TIP.exec(said);
  if (!tip) return { kind: "message", text: said };
  const username = ACCOUNT.exec((tip[1] ?? "").trim().toLowerCase())?.[1];
  return username ? { kind: "tip", username } : { kind: "malformed" };
}
