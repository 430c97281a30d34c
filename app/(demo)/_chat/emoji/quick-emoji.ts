/** The emoji that are offered first, and known before the whole table is loaded; names as the chat server has them. */
export const quickEmoji: Readonly<Record<string, string>> = {
  "+1": "👍",
  "-1": "👎",
  heart: "❤️",
  joy: "😂",
  smile: "😄",
  tada: "🎉",
  eyes: "👀",
  pray: "🙏",
  fire: "🔥",
  rocket: "🚀",
  white_check_mark: "✅",
  wave: "👋",
  thinking_face: "🤔",
  cry: "😢",
  honeybee: "🐝",
  camera: "📷",
  clap: "👏",
  bulb: "💡",
  slightly_smiling_face: "🙂",
};

/** The reactions on the bar over a message. */
export const barEmoji = ["+1", "heart", "joy", "tada", "eyes"] as const;
