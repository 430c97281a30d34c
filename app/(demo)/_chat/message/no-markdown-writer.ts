/**
 * Stands in for `mdast-util-to-markdown` and `markdown-table` in the pages, which read Markdown and never write
 * it. The extensions for reading it import both for their other half.
 */
export const defaultHandlers = {};
export const markdownTable = () => "";
