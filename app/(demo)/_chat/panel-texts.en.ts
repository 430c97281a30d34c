const count = new Intl.NumberFormat("en");
const plural = new Intl.PluralRules("en");
const some = (n: number, one: string, many: string) =>
  `${count.format(n)} ${plural.select(n) === "one" ? one : many}`;

/** The texts of everything that opens next to or over the messages. */
export const panelStrings = {
  threads: {
    title: "Threads",
    unread: (n: number) => some(n, "unread thread", "unread threads"),
    newReplies: (n: number) => some(n, "new reply", "new replies"),
    markAllRead: "Mark all as read",
    none: "No threads yet. Those that you start, answer or are mentioned in show up here once there is a reply.",
    more: "Older threads",
    failed: "The threads can't be loaded. Try again in a moment.",
  },
  thread: {
    title: "Thread",
    of: (author: string, place: string, day: string) => `${author} in ${place}, ${day}`,
    close: "Close thread",
    failed: "The thread can't be loaded. Try again in a moment.",
    noReplies: "No replies yet",
    follow: "Follow this thread",
    unfollow: "Stop following this thread",
  },
  mentions: {
    title: "Mentions",
    none: (name: string) =>
      `Nobody has mentioned you yet. Messages with @${name}, @channel, @all or @here show up here.`,
    failed: "The mentions can't be loaded. Try again in a moment.",
  },
  pinned: {
    title: "Pinned messages",
    count: (n: number) => some(n, "pinned message", "pinned messages"),
    none: "Nothing is pinned yet. Pin a message from its menu, and everybody can find it here.",
    noneYet: "Nothing is pinned yet.",
    failed: "The pinned messages can't be loaded. Try again in a moment.",
  },
  translation: {
    translate: "Translate",
    original: "Show original",
    impossible: "This message can't be translated. It may be too long: try a shorter one.",
    shown: "Translated",
    shownFrom: (language: string) => `Translated from ${language}`,
  },
  members: {
    title: "Members",
    show: "Show members",
    find: "Find a member",
    none: "No member's name starts like that. Try fewer letters.",
    more: "More members",
    failed: "The members can't be loaded. Try again in a moment.",
    roles: {
      bot: "bot",
      guest: "guest",
      channel_admin: "channel admin",
      team_admin: "team admin",
      system_admin: "system admin",
    },
  },
  search: {
    title: "Search messages",
    label: "Search for",
    hint: "To narrow it down, add from:alice, in:town-square or before:2026-12-31.",
    none: (term: string) => `No message matches "${term}". Try fewer or other words.`,
    start: "Find anything that was said in your channels.",
    mentions: "Your mentions",
    open: "Open in context",
    more: "More results",
    failed: "The search did not work. Try again in a moment.",
    unfinished: "Write the whole name, or choose one of those above.",
    names: "Names that fit",
    full: "The search shows the 100 newest messages that match. Add words, from:, in: or before: to find older ones.",
    unspaced:
      "In this script the server finds only what stands at the beginning of a run of characters. The latest messages can be looked through for it in any place.",
    wholeWords:
      "The server finds words by their beginning. The latest messages can be looked through for it in any place.",
    lookThrough: "Look through the latest messages",
    recent: "In the latest messages of your channels",
    noneRecent: "The latest messages don't contain it either.",
  },
  finder: {
    title: "Find a channel or a person",
    placeholder: "Channel, community or Hive account",
    yours: "Your conversations",
    others: "Channels to join",
    more: "More channels",
    facts: (members: number, lastAt: string | null) =>
      `${some(members, "member", "members")} · ${lastAt === null ? "nothing said yet" : `active ${lastAt}`}`,
    noOthers: "You have joined every public channel.",
    people: "People",
    start: (name: string) => `Start a conversation with @${name}`,
    none: "Nothing found. Check the spelling, or try fewer letters.",
    noAccount: (name: string) => `There is no Hive account @${name}. Check the spelling.`,
    closedAccount: (name: string) =>
      `@${name} has left this chat: their account here is closed. Their Hive account may still be in use.`,
    tooManyNew:
      "You have written to many newcomers today. Try again later; you can still write to people who are in the chat already.",
  },
  guest: {
    notIn: "not joined yet",
    writers: (names: string) => `Recently active: ${names}`,
    others: "See other channels",
  },
  profile: {
    message: "Send a message",
    hivePage: "Hive profile",
    tip: "Send HBD",
  },
} as const;
