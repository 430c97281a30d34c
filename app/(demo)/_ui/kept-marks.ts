/** The cookie of a browser that keeps the chat, and paints by itself what it keeps. */
export const KEPT_COOKIE = "hivegate-kept";
/** The header of a page that came with messages of its reader. */
export const SENT_HEADER = "x-sent-messages";
