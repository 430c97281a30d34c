const snakeKey = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a value as Mattermost sends it: with fields in snake_case, except for a post's props. */
export function onTheWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(onTheWire);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [snakeKey(key), key === "props" ? inner : onTheWire(inner)]),
  );
}

/** Returns a value as the JSON that frames of the websocket contain. */
export const wireText = (value: unknown): string => JSON.stringify(onTheWire(value));
