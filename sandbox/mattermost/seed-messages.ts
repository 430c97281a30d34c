export type SeedMessage = {
  /** Minutes after the start of the story, which ends shortly before now (minute 1560). */
  minute: number;
  channel: string;
  author: string;
  text: string;
  /** The name by which later replies refer to this message. */
  key?: string;
  replyTo?: string;
  reactions?: ReadonlyArray<readonly [name: string, emoji: string]>;
  /** Users who read the channel at that time. Later messages are unread for them. */
  seenBy?: readonly string[];
};

/** The direct channel of alice and bob. */
export const direct = "alice and bob";

const square = "town-square";
const photography = "hive-100001";
const developers = "hive-100002";

/** A day of messages, oldest first. */
export const seedMessages: readonly SeedMessage[] = [
  {
    minute: 12,
    channel: square,
    author: "alice",
    text: "Good morning! This is the room for everything that has no room of its own.",
    reactions: [
      ["bob", "wave"],
      ["carol", "wave"],
    ],
  },
  { minute: 25, channel: square, author: "carol", text: "Morning, all. Coffee first, blocks later." },
  {
    minute: 48,
    channel: photography,
    author: "alice",
    key: "fog",
    text: "Went up to the ridge before sunrise. **Fog in the valley, clear above**: f/8, 1/60 s, ISO 200.",
    reactions: [
      ["bob", "heart"],
      ["carol", "heart"],
      ["carol", "camera"],
    ],
  },
  {
    minute: 61,
    channel: photography,
    author: "bob",
    replyTo: "fog",
    text: "Tripod, or a steady hand at 1/60?",
  },
  {
    minute: 66,
    channel: photography,
    author: "alice",
    replyTo: "fog",
    text: "Tripod. My hands were shaking from the cold.",
  },
  {
    minute: 74,
    channel: photography,
    author: "carol",
    replyTo: "fog",
    text: "A polariser would have cut the haze, but then the mood would be gone.",
    seenBy: ["alice", "bob"],
  },
  {
    minute: 210,
    channel: developers,
    author: "bob",
    key: "limit",
    text: "Does anybody have a short way to wait until a transaction is past the irreversible block?",
  },
  {
    minute: 224,
    channel: developers,
    author: "alice",
    replyTo: "limit",
    text: [
      "Ask for the properties and compare:",
      "```ts",
      "const { last_irreversible_block_num } = await client.database.getDynamicGlobalProperties();",
      "const isFinal = blockNumber <= last_irreversible_block_num;",
      "```",
    ].join("\n"),
    reactions: [
      ["bob", "+1"],
      ["erin", "+1"],
    ],
  },
  {
    minute: 231,
    channel: developers,
    author: "bob",
    replyTo: "limit",
    text: "That is short indeed, thanks.",
    seenBy: ["alice", "carol", "erin"],
  },
  {
    minute: 415,
    channel: developers,
    author: "erin",
    text: "First day here. Is there a list of things that a newcomer could take on?",
    reactions: [["bob", "wave"]],
  },
  {
    minute: 422,
    channel: developers,
    author: "bob",
    text: "Welcome, @erin! Start with the documentation of the payment headers, it needs fresh eyes. @alice knows it best.",
  },
  {
    minute: 870,
    channel: direct,
    author: "bob",
    text: "Are you around tomorrow? I would like to go through the release notes with you.",
    seenBy: ["alice"],
  },
  { minute: 884, channel: direct, author: "alice", text: "Sure, any time after ten." },
  {
    minute: 1385,
    channel: photography,
    author: "carol",
    key: "week",
    text: "Theme of the week: *reflections*. Water, glass, spoons, whatever you find.",
    reactions: [["bob", "tada"]],
  },
  {
    minute: 1402,
    channel: photography,
    author: "bob",
    text: "Puddles count, I hope. It has rained here for three days.",
  },
  {
    minute: 1511,
    channel: square,
    author: "bob",
    text: "Reminder: we talk about the next release at five. Bring questions.",
  },
  { minute: 1538, channel: direct, author: "bob", text: "Ten past ten then? I will bring the list." },
];
