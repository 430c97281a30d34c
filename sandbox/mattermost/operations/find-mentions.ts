import { createRequire } from "node:module";
import { z } from "zod";
import type { Mattermost } from "../context.ts";
import { type ChannelRow, listOpenByNames } from "../model/channels.ts";
import type { PostRow } from "../model/posts.ts";
import { findTeam } from "../model/teams.ts";
import { findStatus } from "./set-status.ts";

type Member = {
  id: string;
  username: string;
  first_name: string;
  notify_props: string;
  member_props: string;
};

const MAX_NAME = 64;

/** Returns the message without its code, which contains no mentions. */
function withoutCode(message: string): string {
  return message.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
}

/** Returns the names after an `@`. A trailing dot or dash may belong to the name or to the sentence. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, found = ""] of text.toLowerCase().matchAll(/(?<![\p{L}\p{N}@]_*)@([a-z0-9][a-z0-9._-]*)/gu)) {
    let shortest = found.length;
    while (shortest > 1 && "._-".includes(found.charAt(shortest - 1))) shortest -= 1;
    const longest = Math.min(found.length, MAX_NAME);
    for (let length = longest; length >= shortest; length--) names.add(found.slice(0, length));
  }
  return names;
}

function hasWord(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, "u").test(text);
}

function isMeant(mattermost: Mattermost, member: Member, text: string, names: ReadonlySet<string>): boolean {
  if (names.has(member.username)) return true;
  const notify = JSON.parse(member.notify_props) as Record<string, string>;
  const channelProps = JSON.parse(member.member_props) as Record<string, string>;
  const keys = (notify.mention_keys ?? "")
    .toLowerCase()
    .split(",")
    .filter((key) => key.trim() !== "");
  const lower = text.toLowerCase();
  if (keys.some((key) => hasWord(lower, key.trim()))) return true;
  if (notify.first_name === "true" && member.first_name !== "" && hasWord(text, member.first_name))
    return true;
  if (notify.channel === "false" || channelProps.ignore_channel_mentions === "on") return false;
  if (names.has("all") || names.has("channel")) return true;
  return names.has("here") && findStatus(mattermost.db, member.id).status === "online";
}

const Attached = z.object({
  attachments: z.array(
    z.object({
      pretext: z.string().catch(""),
      text: z.string().catch(""),
      fields: z.array(z.object({ value: z.string().catch("") })).catch([]),
    }),
  ),
});

/** Returns the texts of a post that may mention a user. */
function textsOf({ message, props }: Pick<PostRow, "message" | "props">): string[] {
  const { data } = Attached.safeParse(JSON.parse(props));
  const attached = (data?.attachments ?? []).flatMap(({ pretext, text, fields }) => [
    ...[pretext, text],
    ...fields.map(({ value }) => value),
  ]);
  return [message, ...attached];
}

/** Finds the ids of the members that a post mentions, except for its author. */
export function findMentions(
  mattermost: Mattermost,
  channel: ChannelRow,
  post: Pick<PostRow, "user_id" | "message" | "props">,
): Set<string> {
  const text = textsOf(post).map(withoutCode).join("\n\n");
  const names = namesIn(text);
  const isToAll = ["all", "channel", "here"].some((name) => names.has(name));
  const members = mattermost.db.all<Member>(
    `SELECT u.id, u.username, u.first_name, u.notify_props, m.notify_props AS member_props
     FROM channel_members m JOIN users u ON u.id = m.user_id
     WHERE m.channel_id = ? AND u.delete_at = 0 AND u.id <> ?
       AND (? = 1 OR u.username IN (SELECT value FROM json_each(?))
         OR json_extract(u.notify_props, '$.mention_keys') <> '' OR json_extract(u.notify_props, '$.first_name') = 'true')`,
    channel.id,
    post.user_id,
    Number(isToAll || channel.type === "D"),
    JSON.stringify([...names]),
  );
  // Every message in a direct channel mentions the partner.
  const meant =
    channel.type === "D" ? members : members.filter((member) => isMeant(mattermost, member, text, names));
  return new Set(meant.map((member) => member.id));
}

/**
 * Finds the ids of the members whom a reply answers and who want it counted as a mention: the author of the
 * thread's root ("root"), or anyone who wrote in it before ("any"). Used only if replies count in their
 * channels.
 */
export function findAnswered(mattermost: Mattermost, reply: PostRow): string[] {
  if (mattermost.isV11 || reply.root_id === "") return [];
  return mattermost.db
    .all<{ id: string }>(
      `SELECT DISTINCT u.id
       FROM posts p JOIN users u ON u.id = p.user_id
         JOIN channel_members m ON m.user_id = u.id AND m.channel_id = ?
       WHERE (p.id = ? OR p.root_id = ?) AND p.id <> ? AND p.original_id = '' AND p.delete_at = 0
         AND u.delete_at = 0 AND u.id <> ?
         AND (json_extract(u.notify_props, '$.comments') = 'any'
           OR (json_extract(u.notify_props, '$.comments') = 'root' AND p.id = ?))`,
      ...[reply.channel_id, reply.root_id, reply.root_id, reply.id, reply.user_id, reply.root_id],
    )
    .map(({ id }) => id);
}

type Props = Record<string, unknown>;

/**
 * Returns the props of a post with the public channels that its message names, which replace the author's own
 * entry.
 */
export function withNamedChannels(
  { db }: Mattermost,
  teamId: string,
  { message, props }: { message: string; props: Props },
): Props {
  const { channel_mentions: _, ...rest } = props;
  const names = (message.match(/\B~[a-zA-Z0-9_-]+/g) ?? []).map((found) => found.slice(1).toLowerCase());
  const named = names.length > 0 ? listOpenByNames(db, teamId, names) : [];
  if (named.length === 0) return rest;
  const titles = named.map(({ name, display_name, team_id }) => [
    name,
    { display_name, team_name: findTeam(db, team_id)?.name ?? "" },
  ]);
  return { ...rest, channel_mentions: Object.fromEntries(titles) };
}

/** Returns the hashtags of a message in the form of a post's field: `#one #two`. */
export function readHashtags(message: string): string {
  const tags = message.match(/(?<![\p{L}\p{N}_#/])#\p{L}[\p{L}\p{N}_-]+/gu) ?? [];
  return [...new Set(tags)].join(" ").slice(0, 1000);
}

// Loaded by `require`, because the oldest supported Node spells the attribute of JSON imports differently.
const shortcodes = createRequire(import.meta.url)("emojibase-data/en/shortcodes/iamcal.json") as Record<
  string,
  string | string[]
>;

const names: ReadonlySet<string> = new Set([...Object.values(shortcodes).flat(), "mattermost"]);

const skinTone = /_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/;

/** Returns whether a reaction may use the name: a built-in emoji, with or without a skin tone. */
export function isKnownEmoji(name: string): boolean {
  return names.has(name) || names.has(name.replace(skinTone, ""));
}
