/** Words of the backend by user id: online, away, dnd, offline. */
export type Statuses = Readonly<Record<string, string>>;

/** What the backend answered about people's statuses; a refusal and anything else tells nothing. */
export function readStatuses(data: unknown): Statuses {
  if (typeof data !== "object" || data === null) return {};
  const told = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(told);
}
