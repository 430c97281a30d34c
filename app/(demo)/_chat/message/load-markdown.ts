/** Loads the formatter, which is no part of the first load; asked for early, it is there before the first messages. */
export const loadMarkdown = () => import("./markdown.tsx");
