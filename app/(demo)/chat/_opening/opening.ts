/** The id of the first script's element, and the name of its attribute with an `Opening` as JSON. */
export const OPENING = "opening";

/** The data that the server passes to the first script of a chat page. */
export type Opening = {
  /** Paths to request at once. */
  paths: readonly string[];
  /** The path whose answer the server sends with the page, unless it is late; null if it sends none. */
  sent: string | null;
};
