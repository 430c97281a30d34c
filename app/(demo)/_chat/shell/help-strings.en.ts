import { inLanguages } from "../../_ui/language.ts";

/** The texts of the help, which load with its dialog. */
export const strings = inLanguages("help", {
  title: "Keyboard shortcuts",
  rows: [
    ["Ctrl/⌘ K", "Find a channel or a person"],
    ["Alt ↑ / ↓", "Previous or next channel"],
    ["Alt Shift ↑ / ↓", "Previous or next unread channel"],
    ["↑ / ↓", "Previous or next one (in the list of messages or of conversations)"],
    ["Home / End", "First or last one (in the same lists)"],
    ["← / →", "To the menu of a conversation and back (in the list of conversations)"],
    ["U", "Mark as unread from here (on a message)"],
    ["↑", "Edit your last message (in an empty composer)"],
    ["Shift ↑", "Reply to the newest message (in an empty composer)"],
    ["Ctrl/⌘ B / I", "Bold, italic"],
    ["Enter", "Send"],
    ["Shift Enter", "New line"],
    ["Esc", "Close what is open; mark the channel as read"],
    ["Ctrl/⌘ Shift F", "Search messages"],
    ["Alt Shift L", "Network inspector"],
    ["Ctrl/⌘ /, or ?", "This help"],
  ],
} as const);
