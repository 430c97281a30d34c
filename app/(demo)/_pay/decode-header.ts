/** The JSON in a base64 header; null where there is none or it is something else. */
export function decodeHeader<T = unknown>(text: string | null): T | null {
  if (text === null) return null;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    return null;
  }
}
