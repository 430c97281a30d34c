/** What messages are shown with, in one piece: in three, each would bring what they share. */
export { Files, MessageAttachments } from "../media/attachments.tsx";
export { LinkPreviews } from "../media/link-previews.tsx";
export { Markdown, MarkdownExcerpt, MarkdownLine } from "./markdown.tsx";
