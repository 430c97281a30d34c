/** The cookie of a browser that stores the chat and renders it without the server. */
export const KEPT_COOKIE = "hivegate-kept";
/** The header of a page that was sent with its reader's messages. */
export const SENT_HEADER = "x-sent-messages";
/** The header of a page that asks a signed-out reader to sign in. */
export const SIGN_IN_HEADER = "x-sign-in";
